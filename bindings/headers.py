# SPDX-License-Identifier: MIT
"""What include/perp declares, for the generators of the bindings and for those that check them.

    api = headers.read(include_dir)            # needs pycparser and a C compiler
    api.version     "0.2.1-dev"
    api.constants   {"PERP_OK": 0, ...}        integers, from enums and from #define
    api.structs     {"perp_lcp": Struct}       fields in order; None: opaque; sizes and offsets
                                               are the compiler's
    api.callbacks   {"perp_observer": Function} typedefs of pointers to functions
    api.functions   {"perp_version": Function}
    api.defaults    {"perp_info": {"index": -1, ...}, ...} what a macro PERP_..._INIT sets, of the
                    fields that are numbers; other structs have a function perp_..._init()

Types are `Type` trees; `const` and pointers are kept as C has them. Comments are the text of the
Doxygen comment in front (of fields: behind), without its stars. experimental.h is left out: it is
not part of the stable ABI; and plugin.h, whose functions are those of plug-ins.
"""
import dataclasses
import pathlib
import re
import subprocess
import tempfile

from pycparser import c_ast, c_parser

INTEGERS = {"int32_t", "uint32_t", "int64_t", "uint64_t", "size_t", "uint16_t", "uint8_t", "int", "char"}
SKIPPED = {"experimental.h", "plugin.h"}


@dataclasses.dataclass(frozen=True)
class Type:
    """kind: "void"; "integer", "double", "struct", "callback" with the C name in `name`;
    "pointer" and "array" (of `length`) with what they lead to in `to`; "function" (of an unnamed
    pointer to a function: pointer to function) with its signature in `to`."""

    kind: str
    name: str = ""
    to: object = None
    length: int = 0
    const: bool = False

    def is_pointer_to(self, kind):
        return self.kind == "pointer" and self.to.kind == kind


@dataclasses.dataclass
class Field:
    name: str
    type: Type
    comment: str = ""
    offset: int = 0  # bytes from the start of the struct


@dataclasses.dataclass
class Struct:
    name: str
    fields: object  # list of Field, None: opaque
    header: str
    comment: str = ""
    size: int = 0  # bytes


@dataclasses.dataclass
class Function:
    name: str
    result: Type
    parameters: list  # of Field
    header: str = ""
    comment: str = ""


@dataclasses.dataclass
class Api:
    version: str
    constants: dict
    structs: dict
    callbacks: dict
    functions: dict
    defaults: dict


def read(include_dir, compiler="cc"):
    """The whole public interface under include_dir (the folder that holds perp/perp.h)."""
    include_dir = pathlib.Path(include_dir)
    reader = _Reader(_parse(include_dir, compiler))
    texts = {p.name: p.read_text() for p in sorted((include_dir / "perp").glob("*.h"))
             if p.name not in SKIPPED}
    parts = re.findall(r'^#define PERP_VERSION_(?:MAJOR|MINOR|PATCH|SUFFIX) "?([^"\n]*)', texts["base.h"], re.M)
    api = Api(".".join(parts[:3]) + "".join(parts[3:]), {}, reader.structs, reader.callbacks, reader.functions, {})
    for text in texts.values():
        _read_comments(text, api)
    _ask_compiler(include_dir, compiler, api, reader.enumerators, texts)
    return api


def _parse(include_dir, compiler):
    """The syntax tree of perp.h, without what a C99 parser does not know."""
    with tempfile.TemporaryDirectory() as scratch:
        # The standard headers as types alone, in place of the compiler's own with its extensions.
        for name in ("stddef.h", "stdint.h", "string.h", "math.h"):
            pathlib.Path(scratch, name).write_text("")
        types = "".join(f"typedef {'unsigned ' if t[0] == 'u' else ''}int {t};\n"
                        for t in sorted(INTEGERS - {"int", "char"}))
        source = f'{types}\n#include "perp/perp.h"\n'
        text = subprocess.run(
            [compiler, "-E", "-xc", "-std=c99", "-nostdinc", f"-I{scratch}", f"-I{include_dir}",
             "-D__attribute__(x)=", "-DNULL=0", "-"],
            input=source, check=True, capture_output=True, text=True).stdout
    return c_parser.CParser().parse(text)


class _Reader:
    """Walks the declarations of the syntax tree."""

    def __init__(self, tree):
        self.structs, self.callbacks, self.functions = {}, {}, {}
        self.enumerators = []
        self._aliases = {}  # typedefs that are neither struct nor callback: perp_status
        for node in tree.ext:
            self._declaration(node)

    def _declaration(self, node):
        if isinstance(node, c_ast.FuncDef):  # inline: not a symbol of the library
            return
        inner = node.type
        while isinstance(inner, c_ast.TypeDecl):
            inner = inner.type
        if isinstance(inner, c_ast.Enum) and inner.values:
            self.enumerators += [e.name for e in inner.values.enumerators]
        if isinstance(inner, c_ast.Struct):
            self._struct(inner, node.coord.file)
        if isinstance(node, c_ast.Typedef):
            self._typedef(node)
        elif isinstance(node, c_ast.Decl) and isinstance(node.type, c_ast.FuncDecl):
            if node.name.startswith("perp_"):
                function = self._function(node.name, node.type)
                function.header = pathlib.Path(node.coord.file).name
                self.functions[node.name] = function

    def _struct(self, node, file):
        if node.name is None:
            return
        known = self.structs.get(node.name)
        if known is None or (known.fields is None and node.decls is not None):
            fields = None
            if node.decls is not None:
                fields = [Field(d.name, self._type(d.type)) for d in node.decls]
            self.structs.pop(node.name, None)
            self.structs[node.name] = Struct(node.name, fields, pathlib.Path(file).name)

    def _typedef(self, node):
        if isinstance(node.type, c_ast.PtrDecl) and isinstance(node.type.type, c_ast.FuncDecl):
            callback = self._function(node.name, node.type.type)
            callback.header = pathlib.Path(node.coord.file).name
            self.callbacks[node.name] = callback
        elif node.name.startswith("perp_") and node.name not in self.structs:
            self._aliases[node.name] = self._type(node.type)

    def _function(self, name, node):
        parameters = []
        for p in node.args.params if node.args else []:
            kind = self._type(p.type)
            if kind.kind == "array":  # a parameter declared as an array is a pointer
                kind = Type("pointer", to=kind.to)
            if kind.kind != "void":
                parameters.append(Field(p.name, kind))
        return Function(name, self._type(node.type), parameters)

    def _type(self, node):
        if isinstance(node, c_ast.TypeDecl):
            return dataclasses.replace(self._type(node.type), const="const" in node.quals)
        if isinstance(node, c_ast.PtrDecl):
            if isinstance(node.type, c_ast.FuncDecl):
                return Type("pointer", to=Type("function", to=self._function("", node.type)))
            return Type("pointer", to=self._type(node.type), const="const" in node.quals)
        if isinstance(node, c_ast.ArrayDecl):
            return Type("array", to=self._type(node.type), length=_integer(node.dim))
        if isinstance(node, c_ast.Struct):
            return Type("struct", node.name)
        name = " ".join(node.names)
        if name == "unsigned char":
            name = "uint8_t"
        if name == "void":
            return Type("void")
        if name == "double":
            return Type("double", name)
        if name in INTEGERS:
            return Type("integer", name)
        if name in self.callbacks:
            return Type("callback", name)
        if name in self._aliases:
            return self._aliases[name]
        return Type("struct", name)


def _integer(node):
    if isinstance(node, c_ast.Constant):
        return int(node.value, 0)
    if isinstance(node, c_ast.BinaryOp):
        left, right = _integer(node.left), _integer(node.right)
        return {"*": left * right, "+": left + right, "-": left - right}[node.op]
    raise ValueError(f"length of an array that is no number: {node}")


_COMMENT = r"/\*\*(?!<)((?:[^*]|\*(?!/))*)\*/\s*"


def _read_comments(text, api):
    copied = ""
    for m in re.finditer(_COMMENT + r"(PERP_API[^;]*?\b(perp_\w+)\(|typedef struct (\w+) \{)", text):
        comment = _plain(m[1])
        if comment.startswith("@copydoc"):
            comment = copied
        copied = comment
        if m[3] in api.functions:
            api.functions[m[3]].comment = comment
        elif m[4] in api.structs:
            api.structs[m[4]].comment = comment
    for m in re.finditer(r"typedef struct (\w+) \{(.*?)\n\} \1;", text, re.S):
        for f in re.finditer(r"(\w+)(?:\[\w+\])?;\s*/\*\*<((?:[^*]|\*(?!/))*)\*/", m[2]):
            for field in api.structs[m[1]].fields:
                if field.name == f[1]:
                    field.comment = " ".join(f[2].split())


def _plain(comment):
    lines = (re.sub(r"^\s*\* ?", "", line) for line in comment.strip().splitlines())
    return "\n".join(line.rstrip() for line in lines).strip()


def _ask_compiler(include_dir, compiler, api, enumerators, texts):
    """Sizes, offsets, values and defaults, printed by a program made of the headers."""
    all_texts = "".join(texts.values())
    names = enumerators + [
        m[1] for m in re.finditer(r"^#define (PERP_\w+) (\(?[0-9A-Z_][0-9A-Z_ +*()]*)$", all_texts, re.M)]
    lines = [f'printf("constant %s %lld\\n", "{n}", (long long)({n}));' for n in names]
    for s in api.structs.values():
        if s.fields is None:
            continue
        lines.append(f'printf("size {s.name} %zu\\n", sizeof({s.name}));')
        lines += [f'printf("offset {s.name} {f.name} %zu\\n", offsetof({s.name}, {f.name}));'
                  for f in s.fields]
        macro = s.name.upper() + "_INIT"
        if re.search(rf"^#define {macro}\b", all_texts, re.M):
            lines.append(f"{{ {s.name} d = {macro};")
            for f in s.fields:
                if f.type.kind in ("integer", "double"):
                    as_text = ('"%lld"', "(long long)") if f.type.kind == "integer" else ('"%.17g"', "")
                    lines.append(f'printf("default {s.name} {f.name} " {as_text[0]} "\\n", '
                                 f"{as_text[1]}d.{f.name});")
            lines.append("}")
    source = ('#include <stdio.h>\n#include <stddef.h>\n#include "perp/perp.h"\nint main(void) {\n' +
              "\n".join(lines) + "\nreturn 0; }\n")
    with tempfile.TemporaryDirectory() as scratch:
        file, program = pathlib.Path(scratch, "ask.c"), pathlib.Path(scratch, "ask")
        file.write_text(source)
        subprocess.run([compiler, "-std=c99", "-w", f"-I{include_dir}", str(file), "-o", str(program)],
                       check=True)
        answers = subprocess.run([str(program)], check=True, capture_output=True, text=True).stdout
    for line in answers.splitlines():
        what, name, *rest = line.split()
        if what == "constant":
            api.constants[name] = int(rest[0])
        elif what == "size":
            api.structs[name].size = int(rest[0])
        elif what == "offset":
            next(f for f in api.structs[name].fields if f.name == rest[0]).offset = int(rest[1])
        else:
            kind = next(f for f in api.structs[name].fields if f.name == rest[0]).type.kind
            number = int(rest[1]) if kind == "integer" else float(rest[1])
            api.defaults.setdefault(name, {})[rest[0]] = number

