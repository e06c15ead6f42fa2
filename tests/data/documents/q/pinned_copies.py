"""A training loop whose batches come from pageable memory, loaded by the process itself."""

import torch
from torch.utils.data import DataLoader


def train(model, dataset, optimizer, criterion, device):
    train_loader = DataLoader(  # hit: loader-without-pinning, loader-without-workers
        dataset, batch_size=32, shuffle=True
    )
    for data, target in train_loader:
        data = data.to(device, non_blocking=True)  # hit: non-blocking-copy-of-pageable
        target = target.to(device)
        optimizer.zero_grad()
        criterion(model(data), target).backward()
        optimizer.step()


def main(model, dataset, optimizer, criterion):
    device = torch.device("cuda")
    train(model.to(device), dataset, optimizer, criterion, device)
