/** What is a definition in Python, Ruby, PHP and bash. */

export const PYTHON = `
(function_definition name: (identifier) @name) @function
(class_definition name: (identifier) @name) @class
(assignment left: (identifier) @name) @variable
(assignment left: (pattern_list (identifier) @name)) @variable
(assignment left: (tuple_pattern (identifier) @name)) @variable
(type_alias_statement left: (type (identifier) @name)) @type
(type_alias_statement left: (type (generic_type (identifier) @name))) @type
(lambda) @scope
(import_statement) @import
(import_from_statement) @import
`;

export const RUBY = `
(method name: (_) @name) @method
(singleton_method name: (_) @name) @method
(class name: (_) @name) @class
(module name: (_) @name) @module
(assignment left: (constant) @name) @constant
(assignment left: (scope_resolution name: (constant) @name)) @constant
(operator_assignment left: (constant) @name) @constant
(alias name: (_) @name) @method
(call method: (identifier) @callee arguments: (argument_list (simple_symbol) @name)
  (#match? @callee "^(attr_accessor|attr_reader|attr_writer|define_method|alias_method)$")) @field
(call method: (identifier) @callee arguments: (argument_list . (string))
  (#match? @callee "^(require|require_relative|load|autoload)$")) @import
`;

export const PHP = `
(function_definition name: (name) @name) @function
(method_declaration name: (name) @name) @method
(class_declaration name: (name) @name) @class
(interface_declaration name: (name) @name) @interface
(trait_declaration name: (name) @name) @trait
(enum_declaration name: (name) @name) @enum
(enum_case name: (name) @name) @member
(const_element . (name) @name) @constant
(property_element name: (variable_name) @name) @field
(property_promotion_parameter name: (variable_name) @name) @field
(property_promotion_parameter name: (by_ref (variable_name) @name)) @field
(namespace_definition name: (namespace_name) @name) @namespace
(compound_statement) @scope
(namespace_use_declaration) @import
(require_expression) @import
(require_once_expression) @import
(include_expression) @import
(include_once_expression) @import
`;

export const BASH = `
(function_definition name: (word) @name) @function
(variable_assignment name: (variable_name) @name) @variable
(compound_statement) @scope
(subshell) @scope
(command_substitution) @scope
(command (variable_assignment) @scope)
(command name: (command_name (word) @callee) argument: (_) (#match? @callee "^([.]|source)$")) @import
`;
