"""The language server: advice while a kernel is written. It never imports or runs workspace code."""
