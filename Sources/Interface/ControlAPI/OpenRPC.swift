package import JSON
internal import JSONRPC

/// The description of the interface that `rpc.discover` gives, by the OpenRPC 1.3 specification.
package enum OpenRPC {
  /// The document of some methods.
  package static func document(of methods: [any ControlMethod.Type], version: String) -> JSON {
    var schemas = JSONObject()
    let events = ControlEvent.schema.namedSchemas
    for named in methods.flatMap({ $0.namedSchemas }) + events { schemas[named.name] = named.schema.json }
    return [
      "openrpc": "1.3.2",
      "info": [
        "title": "mfad control interface", "version": .string(version),
        "license": ["name": "see the program's distribution"],
      ],
      "methods": .array(methods.map { $0.description }),
      "components": ["schemas": .object(schemas), "errors": errors],
      // Any call can end with these, whatever its method lists.
      "x-common-errors": references(to: RPCError.common),
    ]
  }

  private static let errors = JSON.object(
    JSONObject(
      RPCError.documented.map { ($0.reason, .object(description(of: $0))) }
        + RPCError.reserved.map { error in
          var object = description(of: error)
          object["x-reserved"] = true
          return (error.reason, .object(object))
        }
    )
  )

  private static func description(of error: RPCError) -> JSONObject {
    var description: JSONObject = [
      "code": .int(error.code), "message": .string(error.message),
      "data": ["reason": .string(error.reason), "retry": .bool(error.retry)],
      "x-exit-code": .int(Int(error.exitCode.rawValue)),
    ]
    description["x-hint"] = error.hint.map { .string($0) }
    if !error.causes.isEmpty { description["x-causes"] = .strings(error.causes) }
    return description
  }

  fileprivate static func references(to errors: [RPCError]) -> JSON {
    .array(errors.map { ["$ref": .string("#/components/errors/\($0.reason)")] })
  }
}

extension ControlMethod {
  fileprivate static var namedSchemas: [NamedSchema] {
    properties.flatMap(\.schema.namedSchemas) + resultSchema.namedSchemas
  }

  fileprivate static var description: JSON {
    [
      "name": .string(name), "summary": .string(summary), "paramStructure": "by-name",
      "x-class": .string(access.rawValue), "params": .array(properties.map(\.contentDescriptor)),
      "result": ["name": "result", "schema": resultSchema.json],
      "errors": OpenRPC.references(to: errors), "examples": [pairing],
    ]
  }

  /// The example as an Example Pairing Object.
  private static var pairing: JSON {
    let (params, result) = exampleJSON
    return [
      "name": .string(name),
      "params": .array(params.members.map { ["name": .string($0.name), "value": $0.value] }),
      "result": ["name": "result", "value": result],
    ]
  }
}

extension Property {
  /// A parameter as a Content Descriptor Object.
  fileprivate var contentDescriptor: JSON {
    var schema = schema.json.object ?? [:]
    schema["default"] = standard
    return [
      "name": .string(name), "description": .string(meaning), "required": .bool(isRequired),
      "schema": .object(schema),
    ]
  }
}
