/** What is a definition in JavaScript, TypeScript and TSX. */

const COMMON = `
(function_declaration name: (_) @name) @function
(generator_function_declaration name: (_) @name) @function
(function_expression name: (_) @name) @function
(method_definition name: (_) @name) @method
(variable_declarator name: (identifier) @name value: [(arrow_function) (function_expression) (generator_function)]) @function
(variable_declarator name: (identifier) @name value: (class)) @class
(variable_declarator name: (identifier) @name) @variable
(variable_declarator name: (object_pattern (shorthand_property_identifier_pattern) @name)) @variable
(variable_declarator name: (object_pattern (pair_pattern value: (identifier) @name))) @variable
(variable_declarator name: (object_pattern (object_assignment_pattern left: (shorthand_property_identifier_pattern) @name))) @variable
(variable_declarator name: (object_pattern (rest_pattern (identifier) @name))) @variable
(variable_declarator name: (array_pattern (identifier) @name)) @variable
(assignment_expression
  left: (member_expression property: (property_identifier) @name)
  right: [(arrow_function) (function_expression) (class)]) @function
(pair key: (property_identifier) @name value: [(arrow_function) (function_expression)]) @method
(arrow_function) @scope
(function_expression) @scope
(generator_function) @scope
(statement_block) @scope
(for_statement) @scope
(for_in_statement) @scope
(switch_body) @scope
(import_statement) @import
(export_statement source: (string)) @import
(call_expression function: [(identifier) (import)] @callee arguments: (arguments . (string)) (#match? @callee "^(require|import)$")) @import
`;

export const JAVASCRIPT = `${COMMON}
(class_declaration name: (_) @name) @class
(class name: (_) @name) @class
(field_definition property: (_) @name value: [(arrow_function) (function_expression)]) @method
(field_definition property: (_) @name) @field
(class_static_block) @scope
`;

export const TYPESCRIPT = `${COMMON}
(class_declaration name: (_) @name) @class
(class name: (_) @name) @class
(abstract_class_declaration name: (_) @name) @class
(interface_declaration name: (_) @name) @interface
(type_alias_declaration name: (_) @name) @type
(enum_declaration name: (_) @name) @enum
(enum_body name: (_) @name) @member
(enum_assignment name: (_) @name) @member
(function_signature name: (_) @name) @function
(method_signature name: (_) @name) @method
(abstract_method_signature name: (_) @name) @method
(property_signature name: (_) @name) @field
(public_field_definition name: (_) @name value: [(arrow_function) (function_expression)]) @method
(public_field_definition name: (_) @name) @field
(required_parameter (accessibility_modifier) pattern: (identifier) @name) @field
(required_parameter "readonly" pattern: (identifier) @name) @field
(optional_parameter (accessibility_modifier) pattern: (identifier) @name) @field
(optional_parameter "readonly" pattern: (identifier) @name) @field
(internal_module name: (_) @name) @module
(module name: (_) @name) @module
(class_static_block) @scope
(formal_parameters) @scope
`;
