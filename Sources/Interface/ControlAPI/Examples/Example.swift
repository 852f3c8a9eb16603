package import JSON

/// A call of a method and what may come of it.
package struct Example<Method: ControlMethod>: Sendable {
  private let call: Method
  private let result: Method.Answer

  package init(_ call: Method, _ result: Method.Answer) { (self.call, self.result) = (call, result) }

  /// The parameters of the call, as a client writes them.
  package var params: JSONObject {
    var writer = JSONWriter()
    Method.parameters.write(call, to: &writer)
    return (try? JSON(parsing: writer.finish()))?.object ?? [:]
  }

  /// The result, as the daemon writes it.
  package var resultJSON: JSON { result.json }
}
