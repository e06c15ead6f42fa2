"""What the history tells: kernels by their time, what two runs differ in, budgets, how times grow."""
