"""Mutations made from the syntax tree of C: each a place in a file, its text and the text that takes its place, and a file in which all of them stand.

    mutations = in_unit(root, command)         what the files below `root` that a translation unit reads offer
    text = rendered(text, chosen)              the file with the chosen ones, each behind `HD_MUTATION(its number)`

A file with mutations keeps its lines, so that messages of the compiler find them. Not mutated is what the compiler must know when it compiles (sizes,
labels of cases, static initialisers), what a macro made, and where a mutation would only make a loop endless.
"""
import bisect
import dataclasses
import glob
import pathlib
import re
import sys

if "/usr/lib/python3/dist-packages" not in sys.path:
    sys.path.append("/usr/lib/python3/dist-packages")  # where Debian's packages are, whichever python3 runs
from clang import cindex  # pylint: disable=wrong-import-position
from clang.cindex import CursorKind as Kind, TypeKind  # pylint: disable=wrong-import-position

SWAPPED = {
    "<": ["<=", ">="], "<=": ["<", ">"], ">": [">=", "<="], ">=": [">", "<"], "==": ["!="], "!=": ["=="],
    "+": ["-"], "-": ["+"], "*": ["+"], "/": ["*"], "%": ["*"], "&": ["|"], "|": ["&"], "^": ["|"], "<<": [">>"], ">>": ["<<"], "&&": ["||"], "||": ["&&"],
    "+=": ["-="], "-=": ["+="], "*=": ["+="], "/=": ["*="], "%=": ["*="], "&=": ["|="], "|=": ["&=", "="], "^=": ["|="], "<<=": [">>="], ">>=": ["<<="],
}
RELATIONAL = {"<", "<=", ">", ">=", "==", "!="}
ONE_SIDE = {"+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", "&&", "||"}
INTEGERS = {TypeKind.BOOL, TypeKind.CHAR_U, TypeKind.UCHAR, TypeKind.USHORT, TypeKind.UINT, TypeKind.ULONG, TypeKind.ULONGLONG, TypeKind.CHAR_S,
            TypeKind.SCHAR, TypeKind.SHORT, TypeKind.INT, TypeKind.LONG, TypeKind.LONGLONG, TypeKind.ENUM}
SCALARS = INTEGERS | {TypeKind.FLOAT, TypeKind.DOUBLE, TypeKind.POINTER}
SIZEOF = Kind.CXX_UNARY_EXPR  # never evaluated


@dataclasses.dataclass(frozen=True, order=True)
class Mutation:
    """`old`, the text from `begin` to `end` of `file` (relative to the root; offsets in characters), becomes `new`. `form` says how both stand together:
    value (an expression), statement (`new` is none or statements), entry (`new` stands before it)."""
    file: str
    begin: int
    end: int
    operator: str
    old: str
    new: str
    form: str
    function: str
    line: int


def library():
    """Chooses the newest libclang that is installed."""
    if not cindex.Config.loaded:
        found = sorted(glob.glob("/usr/lib/llvm-*/lib/libclang.so.1") + glob.glob("/usr/lib/llvm-*/lib/libclang-*.so.*"), key=lambda name: int(name.split("/")[3][5:]))
        if found:
            cindex.Config.set_library_file(found[-1])


class Source:
    """The text of a file, and where macros are expanded in it."""

    def __init__(self, root, path):
        self.name = str(path.relative_to(root))
        raw = path.read_bytes()
        self.text = raw.decode()
        self.plain = len(raw) == len(self.text)
        self.raw = raw
        self.macros = []  # (begin, end), in order
        self.found = {}
        self.lines = [0] + [match.end() for match in re.finditer("\n", self.text)]

    def offset(self, location):
        return location.offset if self.plain else len(self.raw[:location.offset].decode())

    def extent(self, cursor):
        return self.offset(cursor.extent.start), self.offset(cursor.extent.end)

    def in_macro(self, begin, end):
        """Whether the range is a part of an expansion, or one of its ends is."""
        at = bisect.bisect_right(self.macros, (begin, len(self.text) + 1)) - 1
        for first, last in self.macros[max(at, 0):]:
            if first >= end:
                break
            if last <= begin:
                continue
            if not (begin <= first and last <= end):
                return True
            if (first, last) == (begin, end):
                return True
        return False

    def line(self, offset):
        return bisect.bisect_right(self.lines, offset)


def one_line(text):
    """Text without comments and line breaks."""
    text = re.sub(r"/\*.*?\*/|//[^\n]*", " ", text, flags=re.S)
    return re.sub(r"\s+", " ", text).strip()


def guarded(text):
    """An operand, so that it stays one whatever operator is beside it."""
    return text if re.fullmatch(r"[\w.>\[\]-]+|\w+\([^()]*\)|\([^()]*\)", text) else f"({text})"


class Walk:
    """Collects the mutations of one file out of a tree."""

    def __init__(self, source):
        self.source = source
        self.function = ""

    def add(self, begin, end, operator, new, form="value"):
        source = self.source
        old = source.text[begin:end]
        if "\n#" in old or one_line(old) == new:
            return
        key = (begin, end, new, form)
        source.found.setdefault(key, Mutation(source.name, begin, end, operator, one_line(old), new, form, self.function, source.line(begin)))

    def text(self, cursor):
        begin, end = self.source.extent(cursor)
        return one_line(self.source.text[begin:end])

    def usable(self, cursor):
        begin, end = self.source.extent(cursor)
        return end > begin and str(cursor.extent.start.file) == str(cursor.extent.end.file) == self.path and not self.source.in_macro(begin, end)

    def run(self, unit, path):
        self.path = str(path)
        for cursor in unit.cursor.get_children():
            if cursor.kind == Kind.FUNCTION_DECL and cursor.is_definition() and str(cursor.extent.start.file) == self.path:
                self.define(cursor)

    def define(self, cursor):
        self.function = cursor.spelling
        body = [child for child in cursor.get_children() if child.kind == Kind.COMPOUND_STMT]
        if not body or not self.usable(body[0]):
            return
        begin, _ = self.source.extent(body[0])
        result = cursor.result_type.get_canonical()
        self.result = result
        first = next(iter(body[0].get_children()), None)
        trivial = first is None or first.kind == Kind.RETURN_STMT
        if result.kind == TypeKind.VOID:
            if first is not None:
                self.add(begin, begin + 1, "early return", "return;", "entry")
        elif not trivial and result.kind in SCALARS:
            self.add(begin, begin + 1, "early return", "return 0;", "entry")
            if result.kind == TypeKind.BOOL:
                self.add(begin, begin + 1, "early return", "return 1;", "entry")
        self.visit(body[0], False)

    def visit(self, cursor, rvalue):
        """Mutations of a cursor and of what is in it. `rvalue`: only the value of the expression counts, so `c ? new : old` can stand for it."""
        kind = cursor.kind
        if kind == SIZEOF:
            return
        children = list(cursor.get_children())
        if kind == Kind.COMPOUND_STMT:
            for child in children:
                self.statement(child)
            i = 0
            while i + 1 < len(children):  # pairs that do not overlap
                i += 2 if self.swapped(children[i], children[i + 1]) else 1
            return
        if kind in (Kind.CASE_STMT, Kind.DEFAULT_STMT, Kind.LABEL_STMT):
            if children:
                self.statement(children[-1])
            return
        if kind == Kind.IF_STMT:
            self.condition(children[0], ("0", "1"))
            for child in children[1:]:
                self.statement(child)
            return
        if kind == Kind.WHILE_STMT:
            self.condition(children[0], ("0",))
            self.statement(children[-1], deleted=False)
            return
        if kind == Kind.DO_STMT:
            self.statement(children[0], deleted=False)
            self.condition(children[-1], ("0",))
            return
        if kind == Kind.FOR_STMT:
            for child in children[:-1]:
                if child.kind not in (Kind.UNARY_OPERATOR, Kind.COMPOUND_ASSIGNMENT_OPERATOR):  # the step: a loop would be endless
                    self.visit(child, child.kind == Kind.BINARY_OPERATOR)
            self.statement(children[-1])
            return
        if kind == Kind.SWITCH_STMT:
            self.visit(children[0], True)
            self.visit(children[-1], False)
            return
        if kind == Kind.DECL_STMT:
            for child in children:
                if child.kind == Kind.VAR_DECL and child.storage_class.name != "STATIC":
                    self.variable(child)
            return
        if kind == Kind.RETURN_STMT:
            for child in children:
                self.replaced(child, self.result, "0 is returned", "1 is returned")
                self.visit(child, True)
            return
        if not self.usable(cursor):
            # A node that a macro is a part of: what stands in the file by itself is still mutated.
            for child in children:
                self.visit(child, rvalue and kind == Kind.PAREN_EXPR)
            return
        self.expression(cursor, kind, children, rvalue)

    def variable(self, cursor):
        children = list(cursor.get_children())
        if not children:
            return
        array = cursor.type.get_canonical().kind in (TypeKind.CONSTANTARRAY, TypeKind.VARIABLEARRAY, TypeKind.INCOMPLETEARRAY)
        last = children[-1]
        if last.kind in (Kind.TYPE_REF, Kind.STRUCT_DECL, Kind.PARM_DECL) or (array and last.kind != Kind.INIT_LIST_EXPR):
            return
        if last.kind != Kind.INIT_LIST_EXPR:
            self.replaced(last, cursor.type.get_canonical(), "0 is assigned", "1 is assigned")
        self.visit(last, True)

    def replaced(self, cursor, kind, with_0, with_1):
        """0 in place of a value of the type `kind`, and 1 in place of a truth value."""
        if kind.kind in SCALARS and self.usable(cursor) and self.text(cursor) not in ("0", "1", "NULL", "false", "true"):
            begin, end = self.source.extent(cursor)
            self.add(begin, end, with_0, "0")
            if kind.kind == TypeKind.BOOL:
                self.add(begin, end, with_1, "1")

    def statement(self, cursor, deleted=True):
        """A statement in a list of statements, or the body of another one."""
        source = self.source
        kind = cursor.kind
        whole_macro = kind == Kind.DO_STMT and source.extent(cursor) in source.macros  # such as hd_vec_push(...)
        if deleted and (self.usable(cursor) or whole_macro):
            begin, end = source.extent(cursor)
            after = re.compile(r"\s*;").match(source.text, end)
            leaves = kind in (Kind.BREAK_STMT, Kind.CONTINUE_STMT, Kind.GOTO_STMT)
            if after and (leaves or whole_macro or kind in (Kind.CALL_EXPR, Kind.COMPOUND_ASSIGNMENT_OPERATOR, Kind.UNARY_OPERATOR)
                          or (kind == Kind.BINARY_OPERATOR) or (kind == Kind.RETURN_STMT and end - begin == len("return"))):
                if one_line(source.text[begin:end]).startswith("(void)"):
                    return
                self.add(begin, after.end(), "statement deleted", "", "statement")
        self.visit(cursor, False)

    def swapped(self, first, second):
        """Two statements, each an expression, in the other order."""
        plain = (Kind.CALL_EXPR, Kind.BINARY_OPERATOR, Kind.COMPOUND_ASSIGNMENT_OPERATOR, Kind.UNARY_OPERATOR)
        if first.kind in plain and second.kind in plain and self.usable(first) and self.usable(second):
            begin, end = self.source.extent(first)[0], self.source.extent(second)[1]
            after = re.compile(r"\s*;").match(self.source.text, end)
            if after and not self.source.in_macro(begin, after.end()):
                texts = self.text(first), self.text(second)
                if not any(text.startswith("(void)") for text in texts):
                    self.add(begin, after.end(), "statements swapped", f"{texts[1]}; {texts[0]};", "statement")
                    return True
        return False

    def condition(self, cursor, constants):
        if self.usable(cursor):
            begin, end = self.source.extent(cursor)
            text = self.text(cursor)
            if text not in ("true", "1", "0", "false"):
                for constant in constants:
                    self.add(begin, end, "condition constant", constant)
                if "1" in constants:
                    inner = self.bare(cursor)
                    if inner.kind != Kind.UNARY_OPERATOR and not (inner.kind == Kind.BINARY_OPERATOR and self.operator(inner) in RELATIONAL):
                        self.add(begin, end, "condition negated", f"!({text})")
        self.visit(cursor, True)

    @staticmethod
    def bare(cursor):
        """Without parentheses and conversions."""
        while cursor.kind in (Kind.UNEXPOSED_EXPR, Kind.PAREN_EXPR):
            children = list(cursor.get_children())
            if len(children) != 1:
                break
            cursor = children[0]
        return cursor

    def operator(self, cursor):
        left, right = list(cursor.get_children())[:2]
        between = self.source.text[self.source.extent(left)[1]:self.source.extent(right)[0]]
        return one_line(between)

    def expression(self, cursor, kind, children, rvalue):
        source = self.source
        begin, end = source.extent(cursor)
        text = source.text
        if kind in (Kind.BINARY_OPERATOR, Kind.COMPOUND_ASSIGNMENT_OPERATOR) and len(children) == 2:
            left, right = children
            name = self.operator(cursor)
            if name == "=":
                self.assignment(left, right)
                return
            sides = self.text(left), self.text(right)
            pointers = any(side.type.get_canonical().kind in (TypeKind.POINTER, TypeKind.CONSTANTARRAY) for side in children)
            for other in SWAPPED.get(name, []):
                self.add(begin, end, "operator", f"{guarded(sides[0])} {other} {guarded(sides[1])}")
            if name in ONE_SIDE and not pointers:
                label = "conjunct dropped" if name in ("&&", "||") else "operand dropped"
                self.add(begin, end, label, sides[0])
                if name not in ("/", "%", "<<", ">>", "-"):
                    self.add(begin, end, label, sides[1])
            compound = kind == Kind.COMPOUND_ASSIGNMENT_OPERATOR
            if compound:
                self.visit_lvalue(left)
            else:
                self.visit(left, True)
            self.visit(right, True)
            return
        if kind == Kind.UNARY_OPERATOR and len(children) == 1:
            inner = source.extent(children[0])
            name = one_line(text[begin:inner[0]]) or one_line(text[inner[1]:end])
            operand = self.text(children[0])
            if name in ("!", "~", "-") and self.bare(children[0]).kind not in (Kind.INTEGER_LITERAL, Kind.FLOATING_LITERAL):
                self.add(begin, end, "operator dropped", operand)
                self.visit(children[0], True)
            elif name in ("++", "--"):
                other = "--" if name == "++" else "++"
                self.add(begin, end, "operator", other + operand if inner[0] > begin else operand + other)
                self.visit_lvalue(children[0])
            elif name == "&":
                self.visit_lvalue(children[0])
            else:
                self.visit(children[0], True)
            return
        if kind == Kind.CONDITIONAL_OPERATOR and len(children) == 3:
            self.condition(children[0], ("0", "1"))
            for child in children[1:]:
                self.visit(child, rvalue)
            return
        if kind == Kind.CALL_EXPR:
            self.call(cursor, children, begin, end)
            return
        if kind == Kind.INTEGER_LITERAL:
            if rvalue:
                self.constant(begin, end)
            return
        if kind == Kind.INIT_LIST_EXPR:
            for child in children:
                self.element(child)
            return
        if kind == Kind.MEMBER_REF_EXPR or kind == Kind.ARRAY_SUBSCRIPT_EXPR:
            self.visit_lvalue(cursor)
            return
        for child in children:
            self.visit(child, rvalue or kind in (Kind.PAREN_EXPR, Kind.CSTYLE_CAST_EXPR, Kind.UNEXPOSED_EXPR))

    def element(self, cursor):
        """An element of a list of initialisers, with its designators or without."""
        begin, _ = self.source.extent(cursor)
        if self.source.text[begin:begin + 1] in "[." and self.source.text[begin:begin + 1]:
            children = list(cursor.get_children())
            cursor = children[-1] if children else None
        if cursor:
            if cursor.kind != Kind.INIT_LIST_EXPR:
                self.replaced(cursor, cursor.type.get_canonical(), "0 is assigned", "1 is assigned")
            self.visit(cursor, True)

    def visit_lvalue(self, cursor):
        """A place: its indexes and pointers are values, itself is none."""
        children = list(cursor.get_children())
        if cursor.kind == Kind.ARRAY_SUBSCRIPT_EXPR and len(children) == 2:
            self.visit_lvalue(children[0])
            self.visit(children[1], True)
        elif cursor.kind in (Kind.MEMBER_REF_EXPR, Kind.PAREN_EXPR, Kind.UNEXPOSED_EXPR):
            for child in children:
                self.visit_lvalue(child)
        elif cursor.kind == Kind.CALL_EXPR or cursor.kind == Kind.UNARY_OPERATOR:
            self.visit(cursor, False)

    def assignment(self, left, right):
        self.replaced(right, left.type.get_canonical(), "0 is assigned", "1 is assigned")
        self.visit_lvalue(left)
        self.visit(right, True)

    def call(self, cursor, children, begin, end):
        arguments = list(cursor.get_arguments())
        texts = [self.text(argument) for argument in arguments]
        callee = self.text(children[0]) if children else ""
        kinds = [argument.type.get_canonical() for argument in arguments]
        if callee and all(texts):
            commutes = re.match(r"hd_(min|max)_", callee)
            for i, (first, second) in enumerate(zip(texts, texts[1:])):
                if not commutes and first != second and kinds[i].spelling.replace("const ", "") == kinds[i + 1].spelling.replace("const ", ""):
                    swapped = texts[:i] + [second, first] + texts[i + 2:]
                    self.add(begin, end, "arguments swapped", f"{callee}({', '.join(swapped)})")
            result = cursor.type.get_canonical()
            if result.kind in SCALARS:
                for text, kind in zip(texts, kinds):
                    if kind.spelling == result.spelling:
                        self.add(begin, end, "call dropped", text)
        for argument, kind in zip(arguments, kinds):
            if kind.kind in INTEGERS and self.bare(argument).kind != Kind.INTEGER_LITERAL:
                self.replaced(argument, kind, "0 is passed", "1 is passed")
            self.visit(argument, True)
        if children and children[0].kind not in (Kind.DECL_REF_EXPR, Kind.UNEXPOSED_EXPR):
            self.visit_lvalue(children[0])

    def constant(self, begin, end):
        text = self.source.text[begin:end]
        if text in ("true", "false"):
            self.add(begin, end, "constant", "false" if text == "true" else "true")
        elif re.fullmatch(r"(0[xX][0-9a-fA-F]+|0[0-7]*|[1-9][0-9]*)[uUlL]*", text):
            value = int(re.sub(r"[uUlL]+$", "", text), 0 if text[:2] in ("0x", "0X") or text[0] != "0" else 8)
            suffix = re.search(r"[uUlL]*$", text)[0]
            self.add(begin, end, "constant", f"{value + 1}{suffix}")
            if value > 0:
                self.add(begin, end, "constant", f"{value - 1}{suffix}")


def in_unit(root, command, known=()):
    """All mutations of the files of the tree that the unit reads, as a list for each file; those of `known` files are left out. `command`: an entry of
    compile_commands.json."""
    library()
    words = [word for word in command["command"].split() if word.startswith(("-I", "-D", "-std", "-isystem"))]
    path = (pathlib.Path(command["directory"]) / command["file"]).resolve()
    unit = cindex.Index.create().parse(str(path), args=[word if not word.startswith("-I") else "-I" + str((pathlib.Path(command["directory"]) / word[2:]).resolve())
                                                        for word in words],
                                       options=cindex.TranslationUnit.PARSE_DETAILED_PROCESSING_RECORD)
    fatal = [str(problem) for problem in unit.diagnostics if problem.severity >= cindex.Diagnostic.Error]
    if fatal:
        raise ValueError(fatal[0])
    sources = {}
    for cursor in unit.cursor.get_children():
        name = str(cursor.extent.start.file)
        if name.startswith(str(root) + "/") and name not in sources and name not in known:
            sources[name] = Source(root, pathlib.Path(name))
    for cursor in unit.cursor.get_children():
        if cursor.kind == Kind.MACRO_INSTANTIATION:
            source = sources.get(str(cursor.extent.start.file))
            # The tree shows a number for `true`: its text is looked at.
            if source and cursor.spelling not in ("true", "false", "bool", "NULL"):
                source.macros.append(source.extent(cursor))
    for name, source in sources.items():
        source.macros.sort()
        Walk(source).run(unit, name)
    return {name: sorted(source.found.values()) for name, source in sources.items()}


def rendered(text, chosen):
    """The text of a file with mutations in it. `chosen`: (number, Mutation) of this file; ranges nest or do not touch."""
    tree = sorted(chosen, key=lambda item: (item[1].begin, -item[1].end, item[1].form == "value"))

    def render(begin, end, items):
        out = []
        at = begin
        i = 0
        while i < len(items):
            first = items[i][1]
            same = [item for item in items[i:] if (item[1].begin, item[1].end) == (first.begin, first.end)]
            inside = [item for item in items[i:] if first.begin <= item[1].begin and item[1].end <= first.end and item not in same]
            i += len(same) + len(inside)
            out.append(text[at:first.begin])
            out.append(wrap(render(first.begin, first.end, inside), same))
            at = first.end
        out.append(text[at:end])
        return "".join(out)

    def wrap(old, same):
        values = [(number, mutation) for number, mutation in same if mutation.form == "value"]
        if values:
            old = "(" + "".join(f"HD_MUTATION({number}) ? ({mutation.new}) : " for number, mutation in values) + f"({old}))"
        for number, mutation in same:
            if mutation.form == "statement":
                other = f" else {{ {mutation.new} }}" if mutation.new else ""
                old = f"{{ if (!HD_MUTATION({number})) {{ {old} }}{other} }}"
            elif mutation.form == "entry":
                old += f" if (HD_MUTATION({number})) {mutation.new}"
        return old

    return render(0, len(text), tree)
