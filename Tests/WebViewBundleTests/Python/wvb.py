"""An independent reader and writer of .wvb archives, from the specification, for tests.

    wvb.py read FILE          prints {path: [type, base64, [[name, value], …]]} as JSON
    wvb.py write FILE < JSON  writes such a listing, unsorted and with long integers
"""
import base64
import json
import struct
import sys

import lz4.block
import xxhash

MAGIC = b"\xf0\x9f\x8c\x90\xf0\x9f\x8e\x81"


def check(data):
    return struct.pack(">I", xxhash.xxh32(data, seed=0).intdigest())


class Index:
    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, count):
        piece = self.data[self.at:self.at + count]
        assert len(piece) == count
        self.at += count
        return piece

    def integer(self):
        tag = self.take(1)[0]
        if tag <= 250:
            return tag
        width = {251: 2, 252: 4, 253: 8}[tag]
        return int.from_bytes(self.take(width), "big")

    def text(self):
        return self.take(self.integer()).decode()


def read(path):
    data = open(path, "rb").read()
    assert data[:9] == MAGIC + b"\x01"
    size = struct.unpack(">I", data[9:13])[0]
    assert check(data[:13]) == data[13:17]
    index, start = Index(data[17:17 + size]), 21 + size
    assert check(index.data) == data[17 + size:start]
    listing = {}
    for _ in range(index.integer()):
        name, offset, length = index.text(), index.integer(), index.integer()
        kind, whole = index.text(), index.integer()
        headers = [[index.text(), index.text()] for _ in range(index.integer())]
        stored = data[start + offset:start + offset + length]
        assert check(stored) == data[start + offset + length:start + offset + length + 4]
        assert struct.unpack("<I", stored[:4])[0] == whole
        contents = lz4.block.decompress(stored[4:], uncompressed_size=whole) if whole else b""
        assert len(contents) == whole
        listing[name] = [kind, base64.b64encode(contents).decode(), headers]
    assert index.at == size
    return listing


def long_integer(value):
    return b"\xfd" + struct.pack(">Q", value)


def text(value):
    raw = value.encode()
    return long_integer(len(raw)) + raw


def write(path, listing):
    index, data = long_integer(len(listing)), b""
    for name in sorted(listing, reverse=True):
        kind, contents, headers = listing[name]
        raw = base64.b64decode(contents)
        stored = struct.pack("<I", len(raw)) + lz4.block.compress(
            raw, store_size=False, mode="high_compression")
        index += text(name) + long_integer(len(data)) + long_integer(len(stored))
        index += text(kind) + long_integer(len(raw)) + long_integer(len(headers))
        for header in headers:
            index += text(header[0]) + text(header[1])
        data += stored + check(stored)
    head = MAGIC + b"\x01" + struct.pack(">I", len(index))
    with open(path, "wb") as out:
        out.write(head + check(head) + index + check(index) + data)


if __name__ == "__main__":
    if sys.argv[1] == "read":
        json.dump(read(sys.argv[2]), sys.stdout)
    else:
        write(sys.argv[2], json.load(sys.stdin))
