#!/usr/bin/env bash
# Runs the scenarios in a real VS Code. PYTHON is an interpreter that Kernel Advisor is installed for; the scenarios'
# Node and code-server lie where install/code-server.sh has put them. Arguments go to Node's test runner.
set -eu
cd "$(dirname "$0")/../../../.."
PYTHON=$(command -v "${PYTHON:-.venv/bin/python}")
case $PYTHON in /*) ;; *) PYTHON=$PWD/$PYTHON ;; esac
if ! (cd / && "$PYTHON" -c 'import importlib.metadata as m; m.version("kernel-advisor")') 2>/dev/null; then
    echo "kernel-advisor is not installed for $PYTHON; the README's commands install it into .venv" >&2
    exit 1
fi
export PYTHON PATH="$PWD/.editors/code-server/node-bin:$PATH"
exec node --test --test-concurrency=1 "$@" "tests/lsp_server/editors/vscode/*.test.mjs"
