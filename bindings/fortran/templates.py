# SPDX-License-Identifier: MIT
"""Fortran modules from their templates: what is the same for every kind of system, relation and law
is written from the structs of C. A template is Fortran with lines that begin with "@":

in a type, which a struct of C describes:
  @c [component:] STRUCT [= INIT(arguments) else field: what is wrong]
                              how the description begins; with INIT the type is built from it
  @array NAME(n, m)           an array that may be left out, of the field of that name
  @copy NAME, ...             numbers of the field of that name
  @first, @do, @then STATEMENT  for what is special: before the description begins, behind that, last;
                              the description is c
  @m EXPRESSION               rows of y
  @call NAME(t, q) -> out(m, n) [as FIELD] [needed]
                              a procedure to be overridden, behind `contains`. C calls it back by FIELD,
                              if, asked where the description is used, it says it is there
anywhere else:
  @law NAME(a, b?) [rows N or M in the plane]
                              the function that makes perp_NAME; "?" may be left out
  @to_c TYPE STRUCT           a subroutine TYPE_to_c(self, c) for the numbers that both have
  @ends                       the arguments by which every call ends: status, info
  @by                         and those by which a solver is chosen
  @looks ... @open ... @said NAME
                              of a function of a handle that looks: its arguments status and info, and what
                              it has; what is done with `it`, the run; its end
  @enters ... @enter ... @left NAME
                              of one that may call procedures of the user's, whose answer is `code`; an end
                              (WHO, more) says who calls, and more
  @record TYPE STRUCT         a type of the numbers of a struct, and its TYPE_from_c(self, c)
  @constants NAME, PREFIX_, ... what is used of the constants PERP_..., those that begin so, and more
  @asked TYPE NAME(x) -> out(n) what C calls: the procedure of that name of the component TYPE of what asks
  @values NAME(argument) [of TYPE] !< what it returns
                              a function of a handle that returns a copy of what C shows
in a type, behind `contains`:
  @owns                       a handle: its name, assignment and end
  @runs PREFIX: q, v, ...     what runs: what functions of C that begin so show, and its end

Shapes are n (degrees of freedom), n_q (positions), m (rows of y) or components of the type.
"""
import re
import textwrap

STAGES = ("first", "do", "then")
LENGTHS = {"q": "n_q", "v": "n", "x": "n", "lambda": "m"}


class Call:
    """A procedure that a user may override."""

    def __init__(self, kind, text):
        m = re.fullmatch(r"(\w+)\((.*?)\) -> (.*?\))(?: as (\w+))?( needed)?", text)
        self.kind, self.name, self.field, self.needed = kind, m[1], m[4] or m[1], bool(m[5])
        self.inputs = m[2].split(", ")
        self.outputs = [(name, shape.split(", ") if shape else [])
                        for name, shape in re.findall(r"(\w+)\(([^)]*)\)", m[3])]

    def unit(self, what):
        return f"{self.kind.name}_{what}_{self.name}"


class Kind:
    """A type, while it is read."""

    def __init__(self, name):
        self.name, self.struct, self.component, self.init = name, None, "described", None
        self.arrays, self.copies, self.calls, self.m, self.contains = [], [], [], None, False
        self.statements = {stage: [] for stage in STAGES}
        self.numbers = []

    def fills(self):
        return bool(self.arrays or self.copies or self.calls)


class Expander:
    def __init__(self, api, put, fortran_names):
        """put(text, indent) writes a statement; fortran_names(fields) are those of a struct."""
        self.api, self.put, self.names = api, put, fortran_names

    def block(self, text, indent=2):
        """Statements as they stand there, and a blank line behind a procedure."""
        for line in textwrap.dedent(text).strip("\n").splitlines():
            self.put(line.strip(), indent + len(line) - len(line.lstrip()))
        if line.startswith("end "):
            self.put()

    def expand(self, text):
        self.kinds, self.kind, self.last, self.numbers, self.records = [], None, [], {}, []
        for line in text.splitlines():
            stripped = line.strip()
            if stripped.startswith("@"):
                word, rest = (stripped + " ").split(" ", 1)
                code, _, comment = rest.strip().partition("!<")
                if word[1:] in STAGES:
                    self.kind.statements[word[1:]].append(code.strip())
                else:
                    getattr(self, "do_" + word[1:])(code.strip(), f" !<{comment}" if comment else "")
                continue
            if stripped.startswith("end module"):
                self.procedures()
                for name, struct in self.records:
                    self.convert(name, struct, "from_c", "c", "self")
                for text in self.last:
                    self.block(text)
            self.watch(stripped)
            self.put(line, 0, whole=True)
            if self.kind and stripped == "contains":
                self.bind_build()

    def watch(self, line):
        """Where types begin, contain procedures and end."""
        m = re.match(r"type(?:, .*)? :: (\w+)$", line)
        if m:
            self.kind = Kind(m[1])
        elif self.kind and not self.kind.contains and re.match(r"(real|integer)\(?.* :: ", line):
            names = re.sub(r"\([^)]*\)", "", line.split("::", 1)[1].split("!")[0])
            self.kind.numbers += [n.split("=")[0].strip() for n in names.split(",")]
        elif self.kind and line == "contains":
            self.kind.contains = True
        elif self.kind and line == "end type":
            if self.kind.init and not self.kind.contains:
                self.put("contains", 2)
                self.bind_build()
            if self.kind.struct:
                self.kinds.append(self.kind)
            self.numbers[self.kind.name] = self.kind.numbers
            self.kind = None

    def bind_build(self):
        if self.kind.init:
            self.put(f"procedure :: build => {self.kind.name}_build", 4)

    # ---------------------------------------------------------------------- directives

    def do_c(self, text, comment):
        m = re.fullmatch(r"(?:(\w+): )?(\w+)(?: = (\w+)\((.*)\) else (\w+): (.*))?", text)
        k = self.kind
        k.component, k.struct = m[1] or k.component, m[2]
        if m[3]:
            k.init = m.groups()[2:]
            self.put(f"type({k.struct}) :: {k.component}", 4)

    def do_array(self, text, comment):
        name, shape = re.fullmatch(r"(\w+)\((.*)\)", text).groups()
        self.kind.arrays.append((name, shape.split(", ")))
        colons = ", ".join(":" for _ in shape.split(", "))
        self.put(f"real(dp), allocatable :: {name}({colons}){comment}", 4, whole=True)

    def do_copy(self, text, comment):
        self.kind.copies += text.split(", ")

    def do_m(self, text, comment):
        self.kind.m = text

    def do_ends(self, text, comment):
        self.put("integer, intent(out), optional :: status", 4)
        self.put("type(outcome), intent(out), optional :: info", 4)

    def do_by(self, text, comment):
        self.put("type(method), intent(in), optional :: by", 4)
        self.do_ends(text, comment)

    def do_record(self, text, comment):
        name, struct = text.split()
        kinds = {"int32_t": "integer", "int64_t": "integer(c_int64_t)", "double": "real(dp)"}
        fields = [f for f in self.api.structs[struct].fields if f.type.name in kinds and f.name != "reserved"]
        self.numbers[name] = [f.name for f in fields]
        self.put(f"type :: {name}", 2)
        for f in fields:
            for line in textwrap.wrap(f.comment, 90):
                self.put(f"! {line}", 4, whole=True)
            self.put(f"{kinds[f.type.name]} :: {f.name} = 0", 4)
        self.put("end type", 2)
        self.records.append((name, struct))

    def do_constants(self, text, comment):
        wanted = tuple(f"PERP_{word}" for word in text.split(", "))
        names = [n for n in self.api.constants if n in wanted or n.startswith(tuple(w for w in wanted if w[-1] == "_"))]
        self.put(f"use perp_c, only: {', '.join(names)}", 2)

    def do_asked(self, text, comment):
        kind, name, of, out, shape = re.fullmatch(r"(\w+) (\w+)\((\w+)\) -> (\w+)\((.*)\)", text).groups()
        sizes = shape.split(", ")
        self.block(f"""
            function c_{kind}_{name}({of}, {out}, user) bind(C, name="") result(code)
              type(c_ptr), value :: {of}, {out}, user
              integer(c_int32_t) :: code
              type(asked), pointer :: it
              real(dp), pointer :: {self.deferred('values', sizes)}
              type(answer) :: reply
              call c_f_pointer(user, it)
              values => {('vector', 'matrix')[len(sizes) - 1]}({out}, {', '.join(f'it%{n}' for n in sizes)})
              values = 0
              call it%{kind}%{name}(vector({of}, it%n), values, reply)
              code = it%journal%note(reply)
            end function
            """)

    def do_looks(self, text, comment):
        self.do_ends(text, comment)
        self.block("""
            class(running), pointer :: it
            type(outcome) :: fault
            """, 4)

    def do_open(self, text, comment):
        self.block("""
            it => open_run(self, fault)
            if (associated(it)) then
            """, 4)

    def do_said(self, text, comment):
        self.put("end if", 4)
        self.put(f'call conclude(fault%status, self%name() // "%{text}", status, info, fault=fault)', 4)

    def do_enters(self, text, comment):
        self.do_looks(text, comment)
        self.block("""
            type(perp_info) :: c_info
            integer(c_int32_t) :: code
            character(:), allocatable :: said
            """, 4)

    def do_enter(self, text, comment):
        self.block("""
            c_info = perp_info_init_value()
            code = PERP_EINVAL
            said = ""
            it => entered(self, fault)
            if (associated(it)) then
            """, 4)

    def do_left(self, text, comment):
        who, *more = text[1:-1].split(", ") if text[0] == "(" else [f'self%name() // "%{text}"']
        self.put("if (associated(it)) call left(it, said)", 6)
        self.put("end if", 4)
        self.put(f"call conclude({', '.join([who, 'status', 'info', 'c_info', 'fault', 'said', *more])})".replace(
            "conclude(", "conclude(code, "), 4)

    def do_call(self, text, comment):
        call = Call(self.kind, text)
        self.kind.calls.append(call)
        self.put(f"procedure :: {call.name} => {call.unit('no')}{comment}", 4, whole=True)

    def do_law(self, text, comment):
        name, arguments, rows = re.fullmatch(r"(\w+)\((.*)\)(?: rows (\d or \d) in the plane)?", text).groups()
        struct, given = f"perp_{name}", arguments.split(", ") if arguments else []
        names = [a.rstrip("?") for a in given]
        self.put(f"function {name}({', '.join(names + (['plane'] if rows else []))}) result(new)", 2)
        for a, bare in zip(given, names):
            self.put(f"real(dp), intent(in){', optional' if a != bare else ''} :: {bare}", 4)
        if rows:
            self.put("logical, intent(in), optional :: plane", 4)
        self.block(f"""
            type(law) :: new
            type({struct}) :: made
            new%code = {struct}_init(made, c_sizeof(made))
            """, 4)
        for a, bare in zip(given, names):
            where = f"if (present({bare})) " if a != bare else ""
            self.put(f"{where}made%{self.path(struct, bare)} = {bare}", 4)
        if rows:
            space, plane = rows.split(" or ")
            self.put(f"new%rows = rows_of(plane, {plane}, {space})", 4)
            self.put(f"made%{self.path(struct, 'law')}%size = new%rows", 4)
        self.put("new%c = transfer(made, new%c)", 4)
        self.put("end function", 2)

    def do_values(self, text, comment):
        name, of, extends = re.fullmatch(r"(\w+)\((\w+)\)(?: of (\w+))?", text).groups()
        self.block(f"""
            !>{comment[4:]}
            function {name}(self, {of}, status, info) result(values)
              class({extends or 'handle'}), intent(in) :: self
              integer, intent(in) :: {of}
              integer, intent(out), optional :: status
              type(outcome), intent(out), optional :: info
              real(dp), allocatable :: values(:)
              call copy(self, "{name}", {of}, values, status, info)
            end function
            """)

    def do_to_c(self, text, comment):
        self.convert(*text.split(), "to_c", "self", "c")

    def convert(self, name, struct, how, source, target):
        fields = {f.name: f.type for f in self.api.structs[struct].fields}
        self.put(f"subroutine {name}_{how}(self, c)", 2)
        self.put(f"type({name}), intent({'in' if source == 'self' else 'inout'}) :: self", 4)
        self.put(f"type({struct}), intent({'in' if source == 'c' else 'inout'}) :: c", 4)
        for n in self.numbers[name]:
            if fields[n].kind in ("integer", "double"):
                self.put(f"{target}%{n} = {source}%{n}", 4)
        self.put("end subroutine", 2)

    def do_owns(self, text, comment):
        name = self.kind.name
        self.block(f"""
            procedure :: name => {name}_name
            procedure, private :: assign => {name}_assign
            generic :: assignment(=) => assign
            final :: {name}_end
            """, 4)
        self.last.append(f"""
            function {name}_name(self) result(name)
              class({name}), intent(in) :: self
              character(:), allocatable :: name
              name = "{name}"
            end function
            subroutine {name}_assign(self, from)
              class({name}), intent(inout) :: self
              type({name}), intent(in) :: from
              call share_run(self, from)
            end subroutine
            impure elemental subroutine {name}_end(self)
              type({name}), intent(inout) :: self
              call release(self)
            end subroutine
            """)

    def do_runs(self, text, comment):
        name, (prefix, shown) = self.kind.name, text.split(": ")
        for bound in ("destroy", "view", "energies", "time"):
            self.put(f"procedure :: {bound} => {name}_{bound}", 4)
        cases = "".join(f"""
              case ("{what}")
                at = {prefix}_{what}(self%c, index)""" for what in shown.split(", "))
        self.last.append(f"""
            subroutine {name}_destroy(self)
              class({name}), intent(inout) :: self
              call {prefix}_destroy(self%c)
              self%c = c_null_ptr
              call self%model%destroy()
            end subroutine
            function {name}_view(self, what, index) result(at)
              class({name}), intent(in) :: self
              character(*), intent(in) :: what
              integer(c_int32_t), intent(in) :: index
              type(c_ptr) :: at
              at = c_null_ptr
              select case (what){cases}
              end select
            end function
            function {name}_energies(self, kinetic, potential) result(code)
              class({name}), intent(in) :: self
              real(dp), intent(inout) :: kinetic(1), potential(1)
              integer(c_int32_t) :: code
              code = {prefix}_energy(self%c, kinetic, potential)
            end function
            real(dp) function {name}_time(self)
              class({name}), intent(in) :: self
              {name}_time = {prefix}_time(self%c)
            end function
            """)

    def path(self, struct, name):
        """The component of that name, or of the struct it begins with."""
        fields = self.api.structs[struct].fields
        if any(f.name == name for f in fields):
            return name
        return f"{fields[0].name}%{self.path(fields[0].type.name, name)}"

    # ---------------------------------------------------------------------- procedures

    def procedures(self):
        for k in self.kinds:
            for call in k.calls:
                self.default(k, call)
            if k.fills():
                self.fill(k)
            if k.init:
                self.build(k)
            for call in k.calls:
                self.called_back(k, call)

    def default(self, k, call):
        """What is there as long as nobody overrides it."""
        outputs = ", ".join(name for name, _ in call.outputs)
        shaped = ", ".join(self.deferred(name, shape) for name, shape in call.outputs)
        self.block(f"""
            subroutine {call.unit('no')}(self, {', '.join(call.inputs)}, {outputs}, reply)
              class({k.name}), intent(in) :: self
              real(dp), intent(in) :: {', '.join(a if a == 't' else a + '(:)' for a in call.inputs)}
              real(dp), intent(inout) :: {shaped}
              type(answer), intent(inout) :: reply
              reply%given = .false.
            end subroutine
            """)

    @staticmethod
    def deferred(name, shape):
        return f"{name}({', '.join(':' for _ in shape)})" if shape else name

    @staticmethod
    def sizes(shape, at, of_type):
        """A shape in Fortran, where at is the place and of_type the value."""
        return [re.sub(r"[a-z]\w*", lambda m: f"{at if m[0] in ('n', 'n_q', 'm') else of_type}%{m[0]}", s)
                for s in shape]

    def field_type(self, struct, fortran):
        fields = self.api.structs[struct].fields
        return dict(zip(self.names(fields), fields))[fortran].type

    def fill(self, k):
        self.block(f"""
            !> Arrays, numbers and procedures of a {k.name} for C.
            subroutine {k.name}_fill(self, at, user, c, fault)
              class({k.name}), intent(in), target :: self
              type(place), intent(inout) :: at
              type(c_ptr), intent(in) :: user
              type({k.struct}), intent(inout) :: c
              type(outcome), intent(inout) :: fault
            """)
        if k.calls:
            self.put("type(answer) :: reply", 4)
        for name, shape in sorted({o for c in k.calls for o in self.probed(c)}):
            self.put(f"real(dp), allocatable :: {name}{shape}", 4)
        for name, shape in k.arrays:
            needed = ", ".join(self.sizes(shape, "at", "self"))
            self.put(f'if (allocated(self%{name})) call blame_size(fault, "{name}", shape(self%{name}), '
                     f"[{needed}])", 4)
        for name, shape in k.arrays:
            view = "view_of" if self.field_type(k.struct, name).kind == "struct" else "c_loc"
            self.put(f"if (allocated(self%{name})) c%{name} = {view}(self%{name})", 4)
        for name in k.copies:
            self.put(f"c%{name} = self%{name}", 4)
        if k.calls:
            self.put("if (fault%status /= PERP_OK) return", 4)
        for call in k.calls:
            self.probe(call)
        self.put("end subroutine", 2)
        self.put()

    @staticmethod
    def probed(call):
        """Variables for what it writes."""
        return [(f"{('scalar', 'vector', 'matrix')[len(shape)]}_{i}", ("", "(:)", "(:, :)")[len(shape)])
                for i, (_, shape) in enumerate(call.outputs)]

    def probe(self, call):
        """Whether it is overridden: ask it where the description is used."""
        inputs = [{"t": "at%t", "lambda": "spread(1.0_dp, 1, at%m)"}.get(a, f"at%{a}") for a in call.inputs]
        outputs = [name for name, _ in self.probed(call)]
        for name, (_, shape) in zip(outputs, call.outputs):
            arguments = [name, f'"{call.name}"', "fault", *self.sizes(shape, "at", "self")]
            self.put(f"call zeros({', '.join(arguments)})", 4)
        self.block(f"""
            if (fault%status /= PERP_OK) return
            reply = answer()
            call self%{call.name}({', '.join(inputs + outputs)}, reply)
            if (reply%given) then
              c%{call.field} = c_funloc({call.unit('c')})
              c%user = user
              at%called = .true.
            """, 4)
        if call.needed:
            self.put("else", 4)
            self.put(f'call blame(fault, "{call.name}", "is needed")', 6)
        self.put("end if", 4)

    def build(self, k):
        function, arguments, field, wrong = k.init
        me = f"self%{k.component}"
        self.block(f"""
            !> The description of a {k.name}.
            subroutine {k.name}_build(self, at, user, head, fault)
              class({k.name}), intent(inout), target :: self
              type(place), intent(inout) :: at
              type(c_ptr), intent(in) :: user
              type(c_ptr), intent(out) :: head
              type(outcome), intent(inout) :: fault
            """)
        if k.m:
            self.put(f"at%m = {k.m}", 4)
        for statement in k.statements["first"]:
            self.put(statement, 4)
        with_size = f"{me}, c_sizeof({me})" + (f", {arguments}" if arguments else "")
        self.block(f"""
            head = c_loc({me})
            if (fault%status /= PERP_OK) return
            if ({function}({with_size}) /= PERP_OK) call blame(fault, "{field}", "{wrong}")
            if (fault%status /= PERP_OK) return
            """, 4)
        self.associated(k, "do")
        if k.fills():
            self.put(f"call {k.name}_fill(self, at, user, {me}, fault)", 4)
        if any(f.name == "control" for f in self.api.structs[k.struct].fields):
            self.put(f"call self%build_control(at, user, {me}%control, fault)", 4)
        self.associated(k, "then")
        self.put("end subroutine", 2)
        self.put()

    def associated(self, k, when):
        if k.statements[when]:
            self.put(f"associate (c => self%{k.component})", 4)
            for statement in k.statements[when]:
                self.put(statement, 6)
            self.put("end associate", 4)

    def called_back(self, k, call):
        """What C calls: the procedure of the value behind user, on views of the arrays of C."""
        of_c = self.api.callbacks[self.field_type(k.struct, call.field).name].parameters
        into = [p for p in of_c if p.type.kind == "pointer" and not p.type.to.const and p.name != "user"]
        known = {p.name for p in of_c}
        inputs = [a if a in known else "v" for a in call.inputs]  # control has a state x as its v
        views = [f"real(dp), pointer :: {self.deferred(f'values_{i}', shape or [1])}"
                 for i, (_, shape) in enumerate(call.outputs)]
        pointed = [f"values_{i} => {'matrix' if len(shape) == 2 else 'vector'}({p.name}, "
                   f"{', '.join(self.sizes(shape, 'it%at', 'k')) or 1})"
                   for i, ((_, shape), p) in enumerate(zip(call.outputs, into))]
        handed = [a if a == "t" else f"vector({a}, it%at%{LENGTHS[was]})"
                  for a, was in zip(inputs, call.inputs)]
        handed += [f"values_{i}" + ("" if shape else "(1)") for i, (_, shape) in enumerate(call.outputs)]
        of_c = [p.name for p in of_c]
        self.block(f"""
            function {call.unit('c')}({', '.join(of_c)}) bind(C, name="") result(code)
              real(c_double), value :: t
              type(c_ptr), value :: {', '.join(n for n in of_c if n != 't')}
              integer(c_int32_t) :: code
              type(held), pointer :: it
              {"; ".join(views)}
              type(answer) :: reply
              call c_f_pointer(user, it)
              select type (k => it%kind)
              class is ({k.name})
                {"; ".join(pointed)}
                {"; ".join(f"values_{i} = 0" for i in range(len(views)))}
                call k%{call.name}({', '.join(handed)}, reply)
              end select
              code = it%journal%note(reply)
            end function
            """)
