internal import JSON
public import JSONRPC

/// The description of the interface that `rpc.discover` returns, by the OpenRPC 1.3 specification.
public enum OpenRPC {
  /// Returns the OpenRPC document of the given methods.
  ///
  /// Writes one method at a time, because a tree of the whole document would take much more memory.
  public static func document(of methods: [any ControlMethod.Type], version: String) -> RawJSON {
    var writer = JSONWriter()
    writer.openObject()
    writer.write("1.3.2", as: "openrpc")
    let license: JSON = ["name": "see the program's distribution"]
    writer.write(
      ["title": "mfad control interface", "version": .string(version), "license": license],
      as: "info"
    )
    writer.name(JSONWriter.Name("methods"))
    writer.openArray()
    for method in methods {
      writer.beginElement()
      writer.write(method.description)
    }
    writer.closeArray()
    writer.name(JSONWriter.Name("components"))
    writer.openObject()
    writer.name(JSONWriter.Name("schemas"))
    write(schemasOf: methods, to: &writer)
    writer.write(errors, as: "errors")
    writer.closeObject()
    // The errors that calls of any method can return; a method lists only its additional errors.
    writer.write(references(to: RPCError.common), as: "x-common-errors")
    writer.closeObject()
    return RawJSON(bytes: writer.finish())
  }

  private static func write(schemasOf methods: [any ControlMethod.Type], to writer: inout JSONWriter) {
    var written: Set<String> = []
    writer.openObject()
    for named in methods.flatMap({ $0.namedSchemas }) + ControlEvent.schema.namedSchemas
    where written.insert(named.name).inserted {
      writer.write(named.schema.json, as: named.name)
    }
    writer.closeObject()
  }

  private static var errors: JSON {
    let documented = RPCError.documented.map { ($0.reason, JSON.object(description(of: $0))) }
    let reserved = RPCError.reserved.map { error in
      var object = description(of: error)
      object["x-reserved"] = true
      return (error.reason, JSON.object(object))
    }
    return .object(JSONObject(documented + reserved))
  }

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

extension JSONWriter {
  /// Writes a member of the open object.
  fileprivate mutating func write(_ value: JSON, as name: String) {
    self.name(Name(name))
    write(value)
  }
}

public struct RPCDiscover: ControlMethod {
  public static let name = "rpc.discover"
  public static let access = AccessClass.read
  public static let summary = "describes the methods that the caller may call"
  public static let errors: [RPCError] = []
  public static let worksMisconfigured = true
  public static let parameters = Shape(RPCDiscover.init)
  public static var example: Example<Self> { Example(RPCDiscover(), RawJSON(["openrpc": "1.3.2"] as JSON)) }

  /// A serialized OpenRPC document.
  public typealias Result = RawJSON

  public init() {}
}

public struct InterfaceVersion: ControlObject, Equatable {
  public let major: Int
  public let minor: Int

  public static let current = InterfaceVersion(major: 1, minor: 6)

  public static let shape = Shape(
    InterfaceVersion.init(major:minor:),
    .required("major", \.major, "incremented when something is removed"),
    .required("minor", \.minor, "incremented with each addition")
  )
}
