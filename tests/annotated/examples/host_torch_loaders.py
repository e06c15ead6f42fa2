"""DataLoaders of torch and the copies of their batches."""

import torch
from torch.utils.data import DataLoader


def default_settings(data, model, epochs):
    model = model.cuda()
    loader = DataLoader(data, batch_size=32)  # hit: loader-without-pinning, loader-without-workers
    for _ in range(epochs):
        for x, y in loader:
            x = x.cuda(non_blocking=True)  # hit: non-blocking-copy-of-pageable
            y = y.cuda()  # ok: blocking-copy-of-pinned, non-blocking-copy-of-pageable
            model(x).backward(y)


def pinned_with_workers(data, model, epochs):
    device = torch.device("cuda:0")
    loader = DataLoader(data, num_workers=4, pin_memory=True)  # hit: loader-workers-restarted
    for _ in range(epochs):
        for batch in loader:
            x = batch["x"].to(device)  # hit: blocking-copy-of-pinned
            y = batch["y"].to(device, non_blocking=True)  # ok: blocking-copy-of-pinned
            model(x, y)


def workers_that_stay(data, model, epochs):
    loader = DataLoader(  # ok: loader-workers-restarted, loader-without-pinning, loader-without-workers
        data, num_workers=4, pin_memory=True, persistent_workers=True
    )
    for _ in range(epochs):
        for x in loader:
            model(x.to("cuda", non_blocking=True))


def one_pass(data, model):
    loader = DataLoader(data, num_workers=4, pin_memory=True)  # ok: loader-workers-restarted
    for x in loader:
        model(x.to("cuda", non_blocking=True))


def for_the_cpu(data, model):
    loader = DataLoader(data, batch_size=32)  # ok: loader-without-pinning, loader-without-workers
    for x in loader:
        model(x)


def device_of_the_caller(data, model, device):
    loader = DataLoader(data)  # ok: loader-without-pinning, loader-without-workers
    for x in loader:
        model(x.to(device))  # ok: blocking-copy-of-pinned


def settings_of_the_caller(data, model, workers, pinned):
    loader = DataLoader(  # ok: loader-without-pinning, loader-without-workers
        data, num_workers=workers, pin_memory=pinned
    )
    for x in loader:
        model(x.cuda(non_blocking=True))  # ok: non-blocking-copy-of-pageable


def settings_in_a_dictionary(data, model, settings):
    loader = DataLoader(data, **settings)  # ok: loader-without-pinning, loader-without-workers
    for x in loader:
        model(x.cuda())  # ok: blocking-copy-of-pinned


def handed_on(data, train):
    loader = DataLoader(data)  # ok: loader-without-pinning
    return train(loader)


def on_a_given_device(data, model, device):
    loader = DataLoader(data, batch_size=32)  # hit: loader-without-pinning, loader-without-workers
    for batch in loader:
        model(batch["x"].to(device))


def on_an_unknown_device(data, model, device):
    loader = DataLoader(data, batch_size=32)  # ok: loader-without-pinning, loader-without-workers
    for batch in loader:
        model(batch["x"].to(device))


def gives_the_device(data, model):
    on_a_given_device(data, model, torch.device("cuda"))
