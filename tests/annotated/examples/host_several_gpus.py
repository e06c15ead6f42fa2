"""Several GPUs, and the way over the host."""

import torch
import torch.distributed as dist
from numba import cuda


def one_by_one(model):
    for p in model.parameters():
        dist.all_reduce(p.grad)  # hit: all-reduce-for-each-parameter


def all_on_their_way(model):
    waiting = []
    for p in model.parameters():
        waiting.append(dist.all_reduce(p.grad, async_op=True))  # ok: all-reduce-for-each-parameter
    for one in waiting:
        one.wait()


def in_one_buffer(model, buckets):
    for bucket in buckets:
        dist.all_reduce(bucket)  # ok: all-reduce-for-each-parameter


def over_the_host(x):
    x = x.to("cuda:0")
    return x.cpu().to("cuda:1")  # hit: device-copy-through-host  # ok: round-trip-through-host


def straight(x):
    x = x.to("cuda:0")
    return x.to("cuda:1")  # ok: device-copy-through-host, round-trip-through-host


def there_and_back(there):
    host = there.copy_to_host()
    return cuda.to_device(host)  # hit: round-trip-through-host  # ok: device-copy-through-host


def changed_on_the_host(there):
    host = there.copy_to_host()
    host[0] = 1
    return cuda.to_device(host)  # ok: round-trip-through-host


def to_another_device(there):
    host = there.copy_to_host()
    cuda.select_device(1)
    return cuda.to_device(host)  # hit: device-copy-through-host  # ok: round-trip-through-host


def through_numpy(x):
    x = x.cuda()
    return torch.from_numpy(x.cpu().numpy()).cuda()  # hit: round-trip-through-host


def over_the_host_in_two_steps(x):
    x = x.to("cuda:0")
    on_host = x.cpu()
    return on_host.to("cuda:1")  # hit: device-copy-through-host


def kept_on_the_host_too(x):
    x = x.to("cuda:0")
    on_host = x.cpu()
    print(on_host)
    return on_host.to("cuda:1")  # ok: device-copy-through-host


def sent_after_each_small_batch(net, loader, optimizer, several):
    model = torch.nn.parallel.DistributedDataParallel(net)
    for i, batch in enumerate(loader):
        (model(batch) / several).backward()  # hit: gradients-sent-before-step
        if (i + 1) % several == 0:
            optimizer.step()
            optimizer.zero_grad()


def stepped_each_time(net, loader, optimizer):
    model = torch.nn.parallel.DistributedDataParallel(net)
    for i, batch in enumerate(loader):
        model(batch).backward()  # ok: gradients-sent-before-step
        optimizer.step()
        if i % 100 == 0:
            optimizer.zero_grad()
