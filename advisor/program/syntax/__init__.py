"""Modules as syntax trees and their top-level parts."""
