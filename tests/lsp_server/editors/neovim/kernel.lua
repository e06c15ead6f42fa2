-- A kernel is opened, its finding looked at and fixed, then made again by typing.
local here = vim.fn.fnamemodify(debug.getinfo(1, "S").source:sub(2), ":h")
local editor = dofile(here .. "/client.lua")

editor.run(function()
  vim.cmd("edit " .. vim.fn.fnameescape(vim.env.ADVISOR_ROOT .. "/kernels/dot_product.py"))
  editor.start(vim.env.ADVISOR_ROOT)
  local code = "unchecked-index"
  local first = editor.wait("the finding", function()
    return editor.with_code(code)[1]
  end)
  local seen = { all = editor.diagnostics(), finding = first }
  seen.hover = editor.hover(first.line, first.column)
  seen.titles = editor.act(first.line, first.column, "Check that the thread")
  editor.wait("the finding to go", function()
    return #editor.with_code(code) == 0
  end)
  seen.fixed = vim.api.nvim_buf_get_lines(0, first.line - 1, first.line + 1, true)
  vim.cmd("undo")
  editor.wait("the finding to come back", function()
    return editor.with_code(code)[1]
  end)
  seen.undone = vim.api.nvim_buf_get_lines(0, first.line - 1, first.line, true)
  editor.replace_line(first.line, "    cuda.atomic.add(out, 0, (a[i] * b[i])")
  editor.wait("the error of syntax", function()
    return editor.with_code("not-checked")[1]
  end)
  seen.broken = editor.with_code("not-checked")
  return seen
end)
