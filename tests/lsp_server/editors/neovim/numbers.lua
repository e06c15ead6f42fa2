-- The numbers behind accesses and above kernels, as a Neovim of 0.10 or newer shows them.
local here = vim.fn.fnamemodify(debug.getinfo(1, "S").source:sub(2), ":h")
local editor = dofile(here .. "/client.lua")

editor.run(function()
  vim.cmd("edit " .. vim.fn.fnameescape(vim.env.ADVISOR_ROOT .. "/kernels/matrix_multiply.py"))
  local client = editor.start(vim.env.ADVISOR_ROOT)
  vim.lsp.inlay_hint.enable(true, { bufnr = 0 })
  local seen = { hints = {} }
  editor.wait("the hints", function()
    return #vim.lsp.inlay_hint.get({ bufnr = 0 }) > 0
  end)
  for _, item in ipairs(vim.lsp.inlay_hint.get({ bufnr = 0 })) do
    local place = item.inlay_hint.position
    table.insert(seen.hints, { line = place.line + 1, column = place.character + 1, label = item.inlay_hint.label })
  end
  seen.lenses = editor.wait("the compiler's numbers in a lens", function()
    local titles, compiled = {}, false
    local params = { textDocument = vim.lsp.util.make_text_document_params() }
    local answer = vim.lsp.get_client_by_id(client).request_sync("textDocument/codeLens", params, 5000, 0)
    for _, lens in ipairs(answer and answer.result or {}) do
      table.insert(titles, { line = lens.range.start.line + 1, title = lens.command.title })
      compiled = compiled or lens.command.title:find("registers")
    end
    return compiled and titles
  end)
  return seen
end)
