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
    if let name = Schema.violation(of: Self.properties, in: object) {
      // A name that the method does not know is the caller's text, which errors never repeat.
      throw Self.properties.contains { $0.name == name } ? .invalidParameter(name) : .invalidParams
    }
    do { self = try Self.parameters.read(object) } catch {
      throw error.path.first.map(RPCError.invalidParameter) ?? .invalidParams
    }
  }

  /// The request that makes the call, as one line without its end.
  package func request(id: Int) -> [UInt8] {
    var writer = JSONWriter(after: Array(#"{"jsonrpc":"2.0","id":"#.utf8))
    writer.write(id)
    writer.append(#","method":"#)
    writer.write(Self.name)
    if !Self.properties.isEmpty {
      writer.append(#","params":"#)
      Self.parameters.write(self, to: &writer)
    }
    writer.closeObject()
    return writer.bytes
  }
}
