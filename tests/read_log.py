#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Print a log, read by what include/perp/log.h says of its bytes and by nothing else; test_log.cpp compares.

    tests/read_log.py FILE
"""
import struct
import sys


def shifted(crc):
    for _ in range(8):
        crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc


TABLE = [shifted(byte) for byte in range(256)]


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc = crc >> 8 ^ TABLE[(crc ^ byte) & 255]
    return crc ^ 0xFFFFFFFF


def hexadecimal(x):
    """As %a of C has it."""
    mantissa, exponent = x.hex().split("p")
    if x == 0:
        return "0x0p+0"
    return mantissa.rstrip("0").rstrip(".") + "p" + exponent


class Bytes:
    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, form):
        values = struct.unpack_from("<" + form, self.data, self.at)
        self.at += struct.calcsize("<" + form)
        return values if len(values) > 1 else values[0]

    def text(self):
        n = self.take("I")
        self.at += n
        return self.data[self.at - n:self.at].decode()


def blocks(data):
    assert data[:8] == b"\x89PLOG\r\n\x1a" and crc32c(data[:12]) == struct.unpack("<I", data[12:16])[0]
    assert struct.unpack("<HH", data[8:12]) == (1, 0)
    at, number = 16, 0
    while at + 32 <= len(data):
        magic, kind, length, found, records, crc = struct.unpack("<4sIQQII", data[at:at + 32])
        end = at + 32 + (length + 7) // 8 * 8
        if magic != b"PLBK" or found != number or end > len(data) or crc32c(data[at:at + 28] + data[at + 32:end]) != crc:
            return
        yield kind, records, Bytes(data[at + 32:at + 32 + length])
        at, number = end, number + 1


def main():
    for kind, records, b in blocks(open(sys.argv[1], "rb").read()):
        if kind == 1:
            _, width, _, quantities = b.take("IIII")
            for _ in range(4):
                b.text()
            n = 0
            for _ in range(quantities):
                kind, name, unit, _ = (b.text() for _ in range(4))
                _, members, components, names = b.take("iIII")
                for _ in range(names + 2 * components):
                    b.text()
                objects = b.take("I")
                b.at += 4 * objects
                n += members * components
                print(kind, name, unit, members, components)
        elif kind == 2:
            for _ in range(records):
                print("sample", *map(hexadecimal, b.take(f"d{n}{'f' if width == 4 else 'd'}")))
        elif kind == 3:
            for _ in range(records):
                t, *rest = b.take("diiiiiI")
                b.at += 16 + 8 * rest[-1]
                print("event", hexadecimal(t), *rest)
        elif kind == 7:
            for _ in range(records):
                t, contacts, _ = b.take("dII")
                print("contacts", hexadecimal(t), contacts)
                for _ in range(contacts):
                    numbers, values = b.take("iiIIii"), b.take("15f" if width == 4 else "15d")
                    print("contact", *numbers, *map(hexadecimal, values))
        elif kind == 4:
            t, _ = b.take("dQ")
            print("checkpoint", hexadecimal(t), b.text(), len(b.data) - b.at)
        elif kind == 5:
            print("note", b.text(), len(b.text()))


if __name__ == "__main__":
    main()
