"""Training loops and other loops of torch: values read, tensors made, memory freed, products."""

import torch
import torch.nn.functional as F
from torch import nn


def value_in_every_step(model, batches):
    model = nn.Linear(512, 512).cuda()
    total = 0.0
    for x, y in batches:
        loss = F.mse_loss(model(x), y)
        loss.backward()
        total += loss.item()  # hit: value-read-in-host-loop
    return total


def value_now_and_then(batches):
    model = nn.Linear(512, 512).cuda()
    for step, (x, y) in enumerate(batches):
        loss = F.mse_loss(model(x), y)
        loss.backward()
        if step % 100 == 0:
            print(step, loss.item())  # ok: value-read-in-host-loop


def value_once(batches):
    model = nn.Linear(512, 512).cuda()
    total = torch.zeros((), device="cuda")
    for x, y in batches:
        total += F.mse_loss(model(x), y).detach()
    return total.item()  # ok: value-read-in-host-loop


def value_for_each_epoch(batches, epochs):
    model = nn.Linear(512, 512).cuda()
    for _ in range(epochs):
        total = torch.zeros((), device="cuda")
        for x, y in batches:
            total += F.mse_loss(model(x), y).detach()
        print(total.item())  # ok: value-read-in-host-loop


def on_the_cpu(batches):
    model = nn.Linear(512, 512)
    total = 0.0
    for x in batches:
        z = torch.zeros(16) + x
        total += z.sum().item()  # ok: value-read-in-host-loop
        total += model(z).sum().item()  # ok: value-read-in-host-loop
    return total


def until_it_converges(x):
    x = x.cuda()
    error = torch.ones((), device="cuda")
    while error > 1e-6:  # hit: value-read-in-host-loop
        y = torch.sqrt(x)
        error = (y - x).abs().max()
        x = y
    return x


def shown_in_every_step(steps):
    x = torch.ones(16, device="cuda")
    for _ in range(steps):
        x = torch.sin(x)
        print(f"now {x}")  # hit: value-read-in-host-loop


def results_one_by_one(batches):
    model = nn.Linear(512, 512).cuda()
    found = []
    for x in batches:
        found.append(model(x).cpu())  # hit: copy-in-host-loop
    return found


def results_at_the_end(batches):
    model = nn.Linear(512, 512).cuda()
    found = []
    for x in batches:
        found.append(model(x))
    return torch.cat(found).cpu()  # ok: copy-in-host-loop


def made_on_the_host(steps, n):
    for k in range(steps):
        mask = torch.zeros(n, k).cuda()  # hit: tensor-created-on-host
        there = torch.zeros(n, k, device="cuda")  # ok: tensor-created-on-host, buffer-allocated-in-host-loop
        mask += there


def made_once(n):
    return torch.zeros(n).cuda()  # ok: tensor-created-on-host


def from_data(arrays):
    for a in arrays:
        x = torch.from_numpy(a).cuda()  # ok: tensor-created-on-host
        x += 1


def buffer_in_every_step(x, steps, n):
    x = x.cuda()
    for _ in range(steps):
        buffer = torch.zeros(n, n, device="cuda")  # hit: buffer-allocated-in-host-loop
        torch.mm(x, x, out=buffer)
        x = x + buffer
    return x


def every_one_is_kept(steps, n):
    found = []
    for _ in range(steps):
        x = torch.zeros(n, device="cuda")  # ok: buffer-allocated-in-host-loop
        found.append(x)
    return found


def buffer_once(x, steps, n):
    x = x.cuda()
    buffer = torch.zeros(n, n, device="cuda")  # ok: buffer-allocated-in-host-loop
    for _ in range(steps):
        torch.mm(x, x, out=buffer)


def the_same_mask(x, steps, n):
    mask = torch.ones(n)
    x = x.cuda()
    for _ in range(steps):
        x = x * mask.cuda()  # hit: same-copy-in-host-loop
    return x


def waits_in_every_step(x, steps):
    x = x.cuda()
    for _ in range(steps):
        x = torch.sin(x)
        torch.cuda.synchronize()  # hit: wait-in-host-loop
    return x


def freed_in_every_step(x, steps):
    x = x.cuda()
    for _ in range(steps):
        x = torch.sin(x)
        torch.cuda.empty_cache()  # hit: memory-freed-in-host-loop
    torch.cuda.empty_cache()  # ok: memory-freed-in-host-loop
    return x


def freed_when_it_is_full(x, steps):
    x = x.cuda()
    for _ in range(steps):
        try:
            x = torch.sin(x)
        except RuntimeError:
            torch.cuda.empty_cache()  # ok: memory-freed-in-host-loop
    return x


def product_by_product(n):
    a = torch.randn(40, n, n, device="cuda")
    b = torch.randn(40, n, n, device="cuda")
    out = torch.empty(40, n, n, device="cuda")
    for k in range(40):
        out[k] = torch.matmul(a[k], b[k])  # hit: product-for-each-item
    return out


def collected(n, weight):
    a = torch.randn(40, n, n, device="cuda")
    found = []
    for item in a:
        found.append(item @ weight)  # hit: product-for-each-item
    return torch.stack(found)


def all_at_once(n):
    a = torch.randn(40, n, n, device="cuda")
    return torch.bmm(a, a)  # ok: product-for-each-item


def one_needs_the_other(n):
    a = torch.randn(40, n, n, device="cuda")
    x = torch.eye(n, device="cuda")
    for k in range(40):
        x = x @ a[k]  # ok: product-for-each-item
    return x


def layer_by_layer(weights, x):
    x = x.cuda()
    for weight in weights:
        x = torch.matmul(x, weight)  # ok: product-for-each-item
    return x


def loss_of_any_criterion(model, criterion, optimizer, batches):
    model = model.to("cuda")
    total = 0.0
    for x in batches:
        optimizer.zero_grad()
        loss = criterion(model(x.to("cuda")))
        loss.backward()
        optimizer.step()
        total += loss.item()  # hit: value-read-in-host-loop
    return total


def number_of_any_function(model, score, batches):
    model = model.to("cuda")
    total = 0.0
    for x in batches:
        found = score(model(x.to("cuda")))
        total += found.item()  # ok: value-read-in-host-loop
    return total


def given_products(a, b):
    out = torch.empty(40, 64, 64, device="cuda")
    for i in range(40):
        out[i] = torch.matmul(a[i], b[i])  # hit: product-for-each-item
    return out


def unknown_products(a, b):
    out = torch.empty(40, 64, 64, device="cuda")
    for i in range(40):
        out[i] = torch.matmul(a[i], b[i])  # ok: product-for-each-item
    return out


def gives_products():
    return given_products(torch.ones(40, 64, 64, device="cuda"), torch.ones(40, 64, 64, device="cuda"))
