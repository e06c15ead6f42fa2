-- A rule file is opened, broken by typing, and fixed.
local here = vim.fn.fnamemodify(debug.getinfo(1, "S").source:sub(2), ":h")
local editor = dofile(here .. "/client.lua")

editor.run(function()
  vim.cmd("edit " .. vim.fn.fnameescape(vim.env.ADVISOR_ROOT .. "/house/crowded-kernel.rules"))
  vim.bo.filetype = "advisor-rules"
  editor.start(vim.env.ADVISOR_ROOT)
  local seen = { hover = editor.hover(6, 10) }
  seen.before = editor.with_severity("ERROR")
  local line = vim.api.nvim_buf_get_lines(0, 5, 6, true)[1]
  editor.replace_line(6, (line:gsub("registers", "registerz")))
  seen.broken = editor.wait("the error", function()
    return editor.with_severity("ERROR")[1]
  end)
  editor.replace_line(6, line)
  editor.wait("the error to go", function()
    return #editor.with_severity("ERROR") == 0
  end)
  return seen
end)
