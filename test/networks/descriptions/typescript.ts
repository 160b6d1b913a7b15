// Reads the types of a package's declarations as schemas. Types that describe no data (functions, computed types) allow
// anything.
import { readFileSync } from "node:fs";
import {
  type Expression,
  parseSync,
  type Statement,
  type TSInterfaceDeclaration,
  type TSInterfaceHeritage,
  type TSSignature,
  type TSType,
  type TSTypeAliasDeclaration,
  type TSTypeName,
} from "oxc-parser";
import { listForms, refTo, type Schema } from "./schema.ts";

interface Method {
  args: Schema;
  answer: Schema;
}

export interface Declarations {
  defs: Record<string, Schema>;
  /** The methods of an interface or an object type, by name. */
  methods(of: string): Record<string, Method>;
}

/** `rename` converts a field's name to its name on the wire. */
export function readDeclarations(files: string[], rename = (field: string) => field): Declarations {
  const declared = new Map<string, TSInterfaceDeclaration | TSTypeAliasDeclaration>();
  const collect = (statements: readonly Statement[], prefix: string): void => {
    for (const statement of statements) {
      const declaration = statement.type === "ExportNamedDeclaration" ? statement.declaration : statement;
      if (declaration?.type === "TSInterfaceDeclaration" || declaration?.type === "TSTypeAliasDeclaration") {
        declared.set(prefix + declaration.id.name, declaration);
      } else if (
        declaration?.type === "TSModuleDeclaration" &&
        declaration.body?.type === "TSModuleBlock" &&
        declaration.id.type === "Identifier"
      ) {
        collect(declaration.body.body as Statement[], `${prefix}${declaration.id.name}.`);
      }
    }
  };
  for (const file of files) {
    const { program, errors } = parseSync(file, readFileSync(file, "utf8"));
    if (errors.length > 0) throw new Error(`${file}: ${errors[0]?.message}`);
    collect(program.body as Statement[], "");
  }

  const defs: Record<string, Schema> = {};
  const define = (name: string): void => {
    const declaration = declared.get(name);
    if (declaration === undefined || name in defs) return;
    // Stored before it is read, because types refer to themselves.
    defs[name] = {};
    const scope = name.includes(".") ? name.slice(0, name.lastIndexOf(".") + 1) : "";
    const read =
      declaration.type === "TSTypeAliasDeclaration"
        ? toSchema(declaration.typeAnnotation, scope)
        : ofInterface(declaration, scope);
    Object.assign(defs[name], read);
  };

  function ofInterface(declaration: TSInterfaceDeclaration, scope: string): Schema {
    const parents = declaration.extends.map((parent: TSInterfaceHeritage) => {
      const schema = reference(expressionName(parent.expression), parent.typeArguments?.params ?? [], scope);
      return schema;
    });
    return merge([...parents, ofMembers(declaration.body.body, scope)]);
  }

  function ofMembers(members: readonly TSSignature[], scope: string): Schema {
    const properties: Record<string, Schema> = {};
    const required: string[] = [];
    let additionalProperties: Schema | false = false;
    for (const member of members) {
      if (member.type === "TSIndexSignature") additionalProperties = {};
      if (member.type !== "TSPropertySignature") continue;
      const name = getKey(member.key as Expression);
      if (name === null) continue;
      properties[rename(name)] = toSchema(member.typeAnnotation?.typeAnnotation, scope);
      if (!member.optional) required.push(rename(name));
    }
    return { type: "object", properties, required, additionalProperties };
  }

  /** Combines the fields of several objects: of parents, or of the members of an intersection. */
  function merge(parts: Schema[]): Schema {
    const choices = parts.map((schema) => listForms(schema, defs));
    // An intersection with a union is a union of intersections.
    const combined = choices.reduce<Schema[][]>(
      (before, forms) => before.flatMap((chosen) => forms.map((form) => [...chosen, form])),
      [[]],
    );
    const merged = combined.map((objects): Schema => {
      if (objects.some(({ type }) => type !== "object")) return {};
      return {
        type: "object",
        properties: Object.assign({}, ...objects.map(({ properties }) => properties)),
        required: [...new Set(objects.flatMap(({ required = [] }) => required))],
        additionalProperties: objects.every((object) => object.additionalProperties === false) ? false : {},
      };
    });
    return merged.length === 1 ? (merged[0] ?? {}) : { anyOf: merged };
  }

  function reference(name: string, args: readonly TSType[], scope: string): Schema {
    const [first, second] = args;
    switch (name) {
      case "Array":
      case "ReadonlyArray":
        return { type: "array", items: toSchema(first, scope) };
      case "Record": {
        const keys = first === undefined ? undefined : literals(toSchema(first, scope));
        const value = toSchema(second, scope);
        if (keys === undefined) return { type: "object", additionalProperties: value };
        return {
          type: "object",
          properties: Object.fromEntries(keys.map((key) => [rename(key), value])),
          required: keys.map(rename),
          additionalProperties: false,
        };
      }
      case "Partial":
      case "Omit": {
        const keys = second === undefined ? undefined : literals(toSchema(second, scope));
        const forms = listForms(toSchema(first, scope), defs).map((form): Schema => {
          const isOmitted = (key: string) => keys?.includes(key) === true;
          const properties = Object.fromEntries(
            Object.entries(form.properties ?? {}).filter(([key]) => !isOmitted(key)),
          );
          const required = name === "Partial" ? [] : (form.required ?? []).filter((key) => !isOmitted(key));
          return { ...form, properties, required };
        });
        return forms.length === 1 ? (forms[0] ?? {}) : { anyOf: forms };
      }
      case "NonNullable":
        return toSchema(first, scope);
    }
    for (const full of [scope + name, name]) {
      if (!declared.has(full)) continue;
      const declaration = declared.get(full);
      const parameters = declaration?.typeParameters?.params ?? [];
      // An alias that takes a key of another type (`MsgWith<"text">`) is read again with its arguments.
      if (declaration?.type === "TSTypeAliasDeclaration" && parameters.some(({ constraint }) => constraint !== null)) {
        return withArguments(declaration, args, scope);
      }
      define(full);
      return refTo(full);
    }
    return {};
  }

  /** An alias over the names of fields: an object that must have these fields. */
  function withArguments(alias: TSTypeAliasDeclaration, args: readonly TSType[], scope: string): Schema {
    const keys = args[0] === undefined ? undefined : literals(toSchema(args[0], scope));
    const indexed = alias.typeParameters?.params[0]?.constraint;
    if (keys === undefined || indexed?.type !== "TSTypeOperator") return {};
    const whole = toSchema(indexed.typeAnnotation, scope);
    const properties = Object.fromEntries(keys.map((key) => [key, findField(whole, key)] as const));
    return { type: "object", properties, required: keys, additionalProperties: false };
  }
  const findField = (whole: Schema, key: string): Schema =>
    listForms(whole, defs).find(({ properties }) => properties?.[key] !== undefined)?.properties?.[key] ?? {};

  const literals = (schema: Schema): string[] | undefined => {
    const values = listForms(schema, defs).flatMap(
      (form) => form.enum ?? (form.const === undefined ? [null] : [form.const]),
    );
    return values.every((value) => typeof value === "string") ? values : undefined;
  };

  function toSchema(type: TSType | undefined | null, scope: string): Schema {
    switch (type?.type) {
      case "TSStringKeyword":
      case "TSTemplateLiteralType":
        return { type: "string" };
      case "TSNumberKeyword":
        return { type: "number" };
      case "TSBooleanKeyword":
        return { type: "boolean" };
      case "TSNullKeyword":
        return { type: "null" };
      case "TSLiteralType": {
        const { literal } = type;
        if (literal.type === "Literal" && (typeof literal.value === "string" || typeof literal.value === "number"))
          return { enum: [literal.value] };
        return literal.type === "Literal" && typeof literal.value === "boolean" ? { enum: [literal.value] } : {};
      }
      case "TSArrayType":
        return { type: "array", items: toSchema(type.elementType, scope) };
      case "TSTypeOperator":
        return type.operator === "readonly" ? toSchema(type.typeAnnotation, scope) : {};
      case "TSParenthesizedType":
        return toSchema(type.typeAnnotation, scope);
      case "TSTypeLiteral":
        return ofMembers(type.members, scope);
      case "TSIntersectionType":
        return merge(type.types.map((member) => toSchema(member, scope)));
      case "TSUnionType": {
        const members = type.types
          .filter(({ type }) => type !== "TSUndefinedKeyword")
          .map((member) => toSchema(member, scope));
        if (members.every((member) => member.enum !== undefined))
          return { enum: members.flatMap((member) => member.enum ?? []) };
        return members.length === 1 ? (members[0] ?? {}) : { anyOf: members };
      }
      case "TSTypeReference":
        return reference(typeName(type.typeName), type.typeArguments?.params ?? [], scope);
      default:
        return {};
    }
  }

  for (const name of declared.keys()) define(name);
  return {
    defs,
    methods(owner) {
      const declaration = declared.get(owner);
      const body = declaration?.type === "TSInterfaceDeclaration" ? declaration.body.body : [];
      const literal = declaration?.type === "TSTypeAliasDeclaration" ? declaration.typeAnnotation : undefined;
      const members = literal?.type === "TSTypeLiteral" ? literal.members : body;
      return Object.fromEntries(
        members.flatMap((member) => {
          if (member.type !== "TSMethodSignature") return [];
          const name = getKey(member.key as Expression);
          const first = member.params[0];
          const args = first?.type === "Identifier" ? first.typeAnnotation?.typeAnnotation : undefined;
          const empty: Schema = { type: "object", properties: {}, additionalProperties: false };
          const method = {
            args: args === undefined ? empty : toSchema(args, ""),
            answer: toSchema(member.returnType?.typeAnnotation, ""),
          };
          return name === null ? [] : [[name, method] as const];
        }),
      );
    },
  };
}

const getKey = (key: Expression): string | null =>
  key.type === "Identifier" ? key.name : key.type === "Literal" && typeof key.value === "string" ? key.value : null;

const typeName = (name: TSTypeName): string =>
  name.type === "Identifier"
    ? name.name
    : name.type === "TSQualifiedName"
      ? `${typeName(name.left)}.${name.right.name}`
      : "";

const expressionName = (expression: Expression): string =>
  expression.type === "Identifier"
    ? expression.name
    : expression.type === "MemberExpression" && expression.property.type === "Identifier"
      ? `${expressionName(expression.object)}.${expression.property.name}`
      : "";
