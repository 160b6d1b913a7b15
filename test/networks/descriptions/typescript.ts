// The types in the declarations of a package, as schemas. What is no data (functions, computed types) is anything.
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
import { formsOf, refTo, type Schema } from "./schema.ts";

interface Method {
  args: Schema;
  answer: Schema;
}

export interface Declarations {
  defs: Record<string, Schema>;
  /** The methods of an interface or an object type, by their names. */
  methods(of: string): Record<string, Method>;
}

/** `rename`: how a field is called on the wire. */
export function readDeclarations(files: string[], rename = (field: string) => field): Declarations {
  const declared = new Map<string, TSInterfaceDeclaration | TSTypeAliasDeclaration>();
  const collect = (statements: readonly Statement[], prefix: string): void => {
    for (const statement of statements) {
      const of = statement.type === "ExportNamedDeclaration" ? statement.declaration : statement;
      if (of?.type === "TSInterfaceDeclaration" || of?.type === "TSTypeAliasDeclaration") {
        declared.set(prefix + of.id.name, of);
      } else if (
        of?.type === "TSModuleDeclaration" &&
        of.body?.type === "TSModuleBlock" &&
        of.id.type === "Identifier"
      ) {
        collect(of.body.body as Statement[], `${prefix}${of.id.name}.`);
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
    const of = declared.get(name);
    if (of === undefined || name in defs) return;
    // Before it is read, because types refer to themselves.
    defs[name] = {};
    const scope = name.includes(".") ? name.slice(0, name.lastIndexOf(".") + 1) : "";
    const read = of.type === "TSTypeAliasDeclaration" ? toSchema(of.typeAnnotation, scope) : ofInterface(of, scope);
    Object.assign(defs[name], read);
  };

  function ofInterface(of: TSInterfaceDeclaration, scope: string): Schema {
    const parents = of.extends.map((parent: TSInterfaceHeritage) => {
      const schema = reference(expressionName(parent.expression), parent.typeArguments?.params ?? [], scope);
      return schema;
    });
    return merge([...parents, ofMembers(of.body.body, scope)]);
  }

  function ofMembers(members: readonly TSSignature[], scope: string): Schema {
    const properties: Record<string, Schema> = {};
    const required: string[] = [];
    let additionalProperties: Schema | false = false;
    for (const member of members) {
      if (member.type === "TSIndexSignature") additionalProperties = {};
      if (member.type !== "TSPropertySignature") continue;
      const name = keyOf(member.key as Expression);
      if (name === null) continue;
      properties[rename(name)] = toSchema(member.typeAnnotation?.typeAnnotation, scope);
      if (!member.optional) required.push(rename(name));
    }
    return { type: "object", properties, required, additionalProperties };
  }

  /** All fields of objects that are one: of parents, and of the members of an intersection. */
  function merge(parts: Schema[]): Schema {
    const choices = parts.map((part) => formsOf(part, defs));
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
        additionalProperties: objects.every((one) => one.additionalProperties === false) ? false : {},
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
        const forms = formsOf(toSchema(first, scope), defs).map((form): Schema => {
          const gone = (key: string) => keys?.includes(key) === true;
          const properties = Object.fromEntries(Object.entries(form.properties ?? {}).filter(([key]) => !gone(key)));
          const required = name === "Partial" ? [] : (form.required ?? []).filter((key) => !gone(key));
          return { ...form, properties, required };
        });
        return forms.length === 1 ? (forms[0] ?? {}) : { anyOf: forms };
      }
      case "NonNullable":
        return toSchema(first, scope);
    }
    for (const full of [scope + name, name]) {
      if (!declared.has(full)) continue;
      const of = declared.get(full);
      const parameters = of?.typeParameters?.params ?? [];
      // What takes a key of something else (`MsgWith<"text">`) is read anew with what it is given.
      if (of?.type === "TSTypeAliasDeclaration" && parameters.some(({ constraint }) => constraint !== null)) {
        return withArguments(of, args, scope);
      }
      define(full);
      return refTo(full);
    }
    return {};
  }

  /** An alias over the names of fields: an object that must have these. */
  function withArguments(of: TSTypeAliasDeclaration, args: readonly TSType[], scope: string): Schema {
    const keys = args[0] === undefined ? undefined : literals(toSchema(args[0], scope));
    const indexed = of.typeParameters?.params[0]?.constraint;
    if (keys === undefined || indexed?.type !== "TSTypeOperator") return {};
    const whole = toSchema(indexed.typeAnnotation, scope);
    const properties = Object.fromEntries(keys.map((key) => [key, fieldOf(whole, key)] as const));
    return { type: "object", properties, required: keys, additionalProperties: false };
  }
  const fieldOf = (whole: Schema, key: string): Schema =>
    formsOf(whole, defs).find(({ properties }) => properties?.[key] !== undefined)?.properties?.[key] ?? {};

  const literals = (schema: Schema): string[] | undefined => {
    const values = formsOf(schema, defs).flatMap(
      (form) => form.enum ?? (form.const === undefined ? [null] : [form.const]),
    );
    return values.every((value) => typeof value === "string") ? values : undefined;
  };

  function toSchema(of: TSType | undefined | null, scope: string): Schema {
    switch (of?.type) {
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
        const { literal } = of;
        if (literal.type === "Literal" && (typeof literal.value === "string" || typeof literal.value === "number"))
          return { enum: [literal.value] };
        return literal.type === "Literal" && typeof literal.value === "boolean" ? { enum: [literal.value] } : {};
      }
      case "TSArrayType":
        return { type: "array", items: toSchema(of.elementType, scope) };
      case "TSTypeOperator":
        return of.operator === "readonly" ? toSchema(of.typeAnnotation, scope) : {};
      case "TSParenthesizedType":
        return toSchema(of.typeAnnotation, scope);
      case "TSTypeLiteral":
        return ofMembers(of.members, scope);
      case "TSIntersectionType":
        return merge(of.types.map((one) => toSchema(one, scope)));
      case "TSUnionType": {
        const members = of.types.filter(({ type }) => type !== "TSUndefinedKeyword").map((one) => toSchema(one, scope));
        if (members.every((one) => one.enum !== undefined)) return { enum: members.flatMap((one) => one.enum ?? []) };
        return members.length === 1 ? (members[0] ?? {}) : { anyOf: members };
      }
      case "TSTypeReference":
        return reference(typeName(of.typeName), of.typeArguments?.params ?? [], scope);
      default:
        return {};
    }
  }

  for (const name of declared.keys()) define(name);
  return {
    defs,
    methods(of) {
      const found = declared.get(of);
      const body = found?.type === "TSInterfaceDeclaration" ? found.body.body : [];
      const literal = found?.type === "TSTypeAliasDeclaration" ? found.typeAnnotation : undefined;
      const members = literal?.type === "TSTypeLiteral" ? literal.members : body;
      return Object.fromEntries(
        members.flatMap((member) => {
          if (member.type !== "TSMethodSignature") return [];
          const name = keyOf(member.key as Expression);
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

const keyOf = (key: Expression): string | null =>
  key.type === "Identifier" ? key.name : key.type === "Literal" && typeof key.value === "string" ? key.value : null;

const typeName = (name: TSTypeName): string =>
  name.type === "Identifier"
    ? name.name
    : name.type === "TSQualifiedName"
      ? `${typeName(name.left)}.${name.right.name}`
      : "";

const expressionName = (of: Expression): string =>
  of.type === "Identifier"
    ? of.name
    : of.type === "MemberExpression" && of.property.type === "Identifier"
      ? `${expressionName(of.object)}.${of.property.name}`
      : "";
