-- What the scenarios share: the server as a client of Neovim's own, and waiting for what a user would see.
local M = { patience = 60000 }

--- Waits until `seen` gives something, and returns that; says what it waited for when it never comes.
function M.wait(what, seen)
  local found
  local came = vim.wait(M.patience, function()
    found = seen()
    return found ~= nil and found ~= false
  end, 20)
  assert(came, "waited in vain for " .. what)
  return found
end

--- Starts the server for the present buffer, as the set-up page has it; returns the client's number.
function M.start(root)
  local options = {
    name = "advisor",
    cmd = { vim.env.ADVISOR_PYTHON, "-m", "advisor", "server" },
    root_dir = root,
    workspace_folders = { { name = "work", uri = vim.uri_from_fname(root) } },
    init_options = { trusted = false },
  }
  local client
  if vim.lsp.start then
    client = vim.lsp.start(options)
  else
    client = vim.lsp.start_client(options)
    vim.lsp.buf_attach_client(0, client)
  end
  M.wait("the server", function()
    local found = vim.lsp.get_client_by_id(client)
    return found and found.initialized
  end)
  return client
end

--- The diagnostics of the present buffer, the first line first, with what a user sees of each.
function M.diagnostics()
  local found = {}
  for _, item in ipairs(vim.diagnostic.get(0)) do
    local code = item.code or vim.tbl_get(item, "user_data", "lsp", "code")
    table.insert(found, {
      line = item.lnum + 1,
      column = item.col + 1,
      code = code,
      message = item.message,
      severity = vim.diagnostic.severity[item.severity],
      text = vim.api.nvim_buf_get_text(0, item.lnum, item.col, item.end_lnum, item.end_col, {})[1],
    })
  end
  table.sort(found, function(one, other)
    return one.line < other.line or (one.line == other.line and tostring(one.code) < tostring(other.code))
  end)
  return found
end

function M.with_code(code)
  return vim.tbl_filter(function(item)
    return item.code == code
  end, M.diagnostics())
end

function M.with_severity(severity)
  return vim.tbl_filter(function(item)
    return item.severity == severity
  end, M.diagnostics())
end

--- The lines of the window that floats, nil while there is none.
function M.floating()
  for _, window in ipairs(vim.api.nvim_list_wins()) do
    if vim.api.nvim_win_get_config(window).relative ~= "" then
      local lines = vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(window), 0, -1, false)
      vim.api.nvim_win_close(window, true)
      return lines
    end
  end
end

--- The page that hovering over a place shows.
function M.hover(line, column)
  vim.api.nvim_win_set_cursor(0, { line, column - 1 })
  vim.lsp.buf.hover()
  return table.concat(M.wait("the hover", M.floating), "\n")
end

--- Opens the menu of actions at a place and takes the first whose title has `wanted`; returns all titles.
--- A fix whose edit is not known yet is in the menu when it is opened again.
function M.act(line, column, wanted)
  local titles, taken
  vim.ui.select = function(items, options, take)
    titles = vim.tbl_map(function(item)
      return options.format_item and options.format_item(item) or item
    end, items)
    for number, title in ipairs(titles) do
      if title:find(wanted, 1, true) then
        taken = true
        return take(items[number], number)
      end
    end
    take(nil, nil)
  end
  M.wait("the action " .. wanted, function()
    titles = nil
    vim.api.nvim_win_set_cursor(0, { line, column - 1 })
    vim.lsp.buf.code_action()
    M.wait("the menu of actions", function()
      return titles
    end)
    return taken
  end)
  return titles
end

function M.replace_line(line, text)
  vim.api.nvim_buf_set_lines(0, line - 1, line, true, { text })
end

--- Runs a scenario and writes what it saw, or why it failed, as JSON; ends Neovim.
function M.run(scenario)
  local fine, result = xpcall(scenario, debug.traceback)
  local log = {}
  if not fine and vim.fn.filereadable(vim.lsp.get_log_path()) == 1 then
    log = vim.fn.readfile(vim.lsp.get_log_path())
  end
  local seen = fine and { seen = result } or { failed = result, log = log }
  vim.fn.writefile({ vim.fn.json_encode(seen) }, vim.env.ADVISOR_RESULT)
  for _, client in ipairs((vim.lsp.get_clients or vim.lsp.get_active_clients)()) do
    client.stop(client)
  end
  vim.wait(5000, function()
    return #(vim.lsp.get_clients or vim.lsp.get_active_clients)() == 0
  end, 20)
  vim.cmd("qall!")
end

return M
