-- Files are opened with nothing but the user's configuration.
local here = vim.fn.fnamemodify(debug.getinfo(1, "S").source:sub(2), ":h")
local editor = dofile(here .. "/client.lua")

editor.run(function()
  vim.cmd("filetype on")
  vim.cmd("edit " .. vim.fn.fnameescape(vim.env.ADVISOR_ROOT .. "/kernels/dot_product.py"))
  local seen = {}
  seen.kernel = editor.wait("findings", function()
    local found = vim.tbl_map(function(item)
      return item.code
    end, editor.diagnostics())
    return vim.tbl_contains(found, "unchecked-index") and found
  end)
  vim.cmd("edit! " .. vim.fn.fnameescape(vim.env.ADVISOR_ROOT .. "/house/crowded-kernel.rules"))
  editor.wait("the server", function()
    return #(vim.lsp.get_clients or vim.lsp.get_active_clients)({ bufnr = 0 }) > 0
  end)
  editor.replace_line(6, "  when k.registerz > most")
  seen.rules = editor.wait("the error", function()
    return editor.with_severity("ERROR")[1]
  end).code
  return seen
end)
