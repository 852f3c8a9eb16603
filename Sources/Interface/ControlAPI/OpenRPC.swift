package import JSON
internal import JSONRPC

/// The description of the interface that `rpc.discover` answers, by the OpenRPC 1.3 specification.
package enum OpenRPC {
  /// The document of some methods.
  package static func document(of methods: [any ControlMethod.Type], version: String) -> JSON {
    var schemas = JSONObject()
    for named in methods.flatMap({ $0.namedSchemas }) { schemas[named.name] = named.schema.json }
    return [
      "openrpc": "1.3.2",
      "info": [
        "title": "mfad control interface", "version": .string(version),
        "license": ["name": "see the program's distribution"],
      ],
      "methods": .array(methods.map { $0.description }),
      "components": ["schemas": .object(schemas), "errors": errors],
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
    [
      "code": .int(error.code), "message": .string(error.message),
      "data": ["reason": .string(error.reason), "retry": .bool(error.retry)],
    ]
  }
}

extension ControlMethod {
  fileprivate static var namedSchemas: [NamedSchema] {
    properties.flatMap(\.schema.namedSchemas) + Answer.schema.namedSchemas
  }

  fileprivate static var description: JSON {
    [
      "name": .string(name), "summary": .string(summary), "paramStructure": "by-name",
      "x-class": .string(access.rawValue),
      "params": .array(
        properties.map { property in
          [
            "name": .string(property.name), "description": .string(property.meaning),
            "required": .bool(property.isRequired), "schema": property.schema.json,
          ]
        }
      ),
      "result": ["name": "result", "schema": Answer.schema.json],
      "errors": .array(
        RPCError.documented.map { ["$ref": .string("#/components/errors/\($0.reason)")] }
      ),
    ]
  }
}
