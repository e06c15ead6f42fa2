# The release, the site of the documents, the VS Code extension, and the server in real editors. What is installed for
# the editors goes to .editors/, which git ignores.
# Needs npm for all of it; the editors come from Debian packages, so `make editors` wants a Debian machine:
#   apt-get install chromium g++ libkrb5-dev make npm python3-venv neovim emacs-nox elpa-eglot
#   python3 -m venv .venv && .venv/bin/pip install -e '.[dev]' && make editors
# It takes some ten minutes and 1 GB the first time.
PYTHON ?= $(or $(wildcard .venv/bin/python),python3)
EXTENSION = lsp_server/vscode
VSIX = $(EXTENSION)/kernel-advisor.vsix
INSTALL = tests/lsp_server/editors/install

.PHONY: vsix extension editors neovim emacs vscode release site fuzz

# The release checklist: builds the archives to dist/ and prints a line for each item.
release:
	PYTHONPATH=.ci $(PYTHON) -m release

# The long search for inputs that the program does not survive: some hours; -k and --timeout narrow it.
fuzz:
	ADVISOR_FUZZ=nightly $(PYTHON) -m pytest tests/check/fuzzing tests/rules tests/lsp_server/rule_files

# The documentation as a site with search, to build/site; needs the extra `docs`.
site:
	@$(PYTHON) -c 'import mkdocs, material' 2>/dev/null || { echo "make site needs the extra \`docs\`: $(PYTHON) -m pip install -e '.[docs]'" >&2; exit 1; }
	NO_MKDOCS_2_WARNING=1 $(PYTHON) -m mkdocs build --strict --config-file .ci/site/mkdocs.yml

# The extension as one file, to be installed with `code --install-extension`.
vsix: $(EXTENSION)/node_modules/.package-lock.json
	cd $(EXTENSION) && npm run --silent package

# Types and unit tests of the extension.
extension: $(EXTENSION)/node_modules/.package-lock.json
	cd $(EXTENSION) && npm run --silent check && npm test --silent

$(EXTENSION)/node_modules/.package-lock.json: $(EXTENSION)/package.json $(EXTENSION)/package-lock.json
	cd $(EXTENSION) && npm ci --ignore-scripts --no-audit --no-fund

# Every real editor that can be had, with the extension's tests.
editors: extension neovim emacs vscode

# Neovim of three ages; the one on the PATH is also tested in every run of the tests.
neovim:
	$(INSTALL)/debian-program.sh trixie neovim nvim .editors/neovim-trixie
	$(INSTALL)/debian-program.sh sid neovim nvim .editors/neovim-sid
	$(PYTHON) -m pytest tests/lsp_server/editors/test_neovim.py

# Emacs with Eglot, where they are installed (Debian: emacs-nox elpa-eglot).
emacs:
	$(PYTHON) -m pytest tests/lsp_server/editors/test_emacs.py

# VS Code in Chromium; screenshots go to .editors/screenshots.
vscode: vsix
	$(INSTALL)/code-server.sh .editors/code-server
	PYTHON="$(PYTHON)" tests/lsp_server/editors/vscode/run.sh
