"""The notes' anti-patterns: a small batch, a wait in each step, a loader with one thread and no pinning."""

import torch
from torch.utils.data import DataLoader


def train(model, dataset, optimizer, criterion, epochs):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = model.to(device)
    loader = DataLoader(  # hit: loader-without-pinning, loader-without-workers
        dataset, batch_size=4, shuffle=True
    )
    total = 0.0
    for _ in range(epochs):
        for data, target in loader:
            data, target = data.to(device), target.to(device)
            optimizer.zero_grad()
            loss = criterion(model(data), target)
            loss.backward()
            optimizer.step()
            total += loss.item()  # hit: value-read-in-host-loop
            torch.cuda.synchronize()  # hit: wait-in-host-loop
    return total
