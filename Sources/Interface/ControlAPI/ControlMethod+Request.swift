package import JSON
package import JSONRPC

extension ControlMethod {
  /// Reads the parameters of a request: by name, known, complete and each of its shape.
  package init(parsing params: JSON?) throws(RPCError) {
    let object: JSONObject
    switch params {
    case nil: object = [:]
    case .object(let given): object = given
    default: throw .invalidParams
    }
    let parameters = Self.parameters
    if let violation = Schema.violation(of: parameters.properties, in: object) { throw Self.error(violation) }
    do { self = try parameters.read(object) } catch {
      throw error.path.first.map { .invalidParameter($0) } ?? .invalidParams
    }
  }

  private static func error(_ violation: Schema.Violation) -> RPCError {
    switch violation {
    case .missing(let property):
      return .invalidParameter(property.name).saying("the parameter \"\(property.name)\" is missing")
    case .wrong(let property):
      return .invalidParameter(property.name, hasToBe: property.schema.words)
    case .unknownMember:
      // The name itself is the caller's text, which errors never repeat.
      let names = properties.map(\.name).joined(separator: ", ")
      return .invalidParams.saying(
        names.isEmpty
          ? "\(name) takes no parameters" : "\(name) takes no parameter but \(names)"
      )
    }
  }

  /// The request that makes the call, as one line without its end.
  package func request(id: Int) -> [UInt8] {
    var writer = JSONWriter()
    writer.append(#"{"jsonrpc":"2.0","id":"#)
    writer.write(id)
    writer.append(#","method":"#)
    writer.write(Self.name)
    if !Self.properties.isEmpty {
      writer.append(#","params":"#)
      Self.parameters.write(self, to: &writer)
    }
    writer.closeObject()
    return writer.finish()
  }
}
