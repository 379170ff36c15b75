# SPDX-License-Identifier: MIT
"""Logs by what include/perp/log.h says of their bytes and by nothing else, for tests of what reads them."""
import pathlib
import struct

import read_log


def text(s):
    return struct.pack("<I", len(s.encode())) + s.encode()


def write_log(path, quantities, samples, model="", end=True, name="m.toml", events=(), contacts=None):
    """A log by the bytes of log.h. quantities: (kind, name, source, members, components names);
    contacts: a list for each sample, of 6 whole and 15 other numbers each."""
    schema = struct.pack("<IIII", 201, 8, 1, len(quantities)) + text("test") + text(name) + text(model) + text("{}")
    for kind, q, source, members, parts in quantities:
        schema += text(kind) + text(q) + text("m") + text(f"what {kind} is")
        schema += struct.pack("<iIII", source, members, len(parts), 0)
        schema += b"".join(map(text, parts)) + text("") * len(parts) + struct.pack("<I", 0)
    payloads = [(1, 1, schema)]
    for sample, acting in zip(samples, contacts or ()):
        payloads.append((2, 1, struct.pack(f"<{len(sample)}d", *sample)))
        payloads.append((7, 1, struct.pack("<dII", sample[0], len(acting), 0) + b"".join(struct.pack("<iiIIii15d", *c) for c in acting)))
    if samples and contacts is None:
        payloads.append((2, len(samples), b"".join(struct.pack(f"<{len(s)}d", *s) for s in samples)))
    if events:
        payloads.append((3, len(events), b"".join(struct.pack("<dIiiiiIdd", *e, -1, -1, -1, 0, 0, 0) for e in events)))
    if end:
        payloads.append((6, 1, struct.pack("<diI", samples[-1][0] if samples else 0, 6, 0) + text("finished") + text('{"steps": 7}')))
    head = b"\x89PLOG\r\n\x1a" + struct.pack("<HH", 1, 0)
    data = bytearray(head + struct.pack("<I", read_log.crc32c(head)))
    for number, (kind, records, payload) in enumerate(payloads):
        front = struct.pack("<4sIQQI", b"PLBK", kind, len(payload), number, records)
        payload += bytes(-len(payload) % 8)
        data += front + struct.pack("<I", read_log.crc32c(front + payload)) + payload
    pathlib.Path(path).write_bytes(data)
