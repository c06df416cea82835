"""What Python's own parser says is defined in each file named on standard input: one JSON object of lists, name:line."""
import ast
import json
import sys


class Names(ast.NodeVisitor):
    def __init__(self, source):
        self.found = []
        self.inside = 0
        self.lines = source.split("\n")

    def add(self, name, line):
        self.found.append(f"{name}:{line}")

    def function(self, node):
        self.add(node.name, self.name_line(node))
        for decorator in node.decorator_list:
            self.visit(decorator)
        self.inside += 1
        for statement in node.body:
            self.visit(statement)
        self.inside -= 1

    visit_FunctionDef = function
    visit_AsyncFunctionDef = function

    def name_line(self, node):
        return node.lineno

    def visit_ClassDef(self, node):
        self.add(node.name, node.lineno)
        held, self.inside = self.inside, 0
        for statement in node.body:
            self.visit(statement)
        self.inside = held

    def visit_Lambda(self, node):
        return None

    def targets(self, target):
        if isinstance(target, ast.Name):
            self.add(target.id, target.lineno)
        elif isinstance(target, ast.Tuple):
            for each in target.elts:
                if isinstance(each, ast.Name):
                    self.add(each.id, each.lineno)

    def visit_Assign(self, node):
        if not self.inside:
            for target in node.targets:
                self.targets(target)
        self.generic_visit(node)

    def visit_AnnAssign(self, node):
        if not self.inside:
            self.targets(node.target)
        self.generic_visit(node)


result = {}
for file in sys.stdin.read().split("\n"):
    if not file:
        continue
    try:
        with open(file, encoding="utf-8") as handle:
            source = handle.read()
        names = Names(source)
        names.visit(ast.parse(source))
        result[file] = names.found
    except (SyntaxError, UnicodeDecodeError, ValueError):
        continue
print(json.dumps(result))
