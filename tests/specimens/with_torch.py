"""Specimens whose classes need torch."""

import torch
from torch.utils.data import Dataset


class Normed(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.length = torch.nn.Parameter(torch.ones(1))
        self.direction = torch.nn.Parameter(torch.ones(3))
        self.weight = self.length * self.direction


class Voice(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = torch.nn.Linear(2, 2)
        self.decoder = Normed()


class Shuffled(Dataset):
    def __init__(self):
        self.generator = torch.Generator().manual_seed(2)
        self.weights = torch.ones(3, requires_grad=True)

    def __len__(self):
        return 3

    def __getitem__(self, number):
        return number


def count(module, args, output):
    return None


class Monitored(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(2, 2)
        self.handle = self.layer.register_forward_hook(count)


def voice():
    return Voice(), {"devices": 4}


def shuffled():
    return Shuffled()


def monitored():
    return Monitored()
