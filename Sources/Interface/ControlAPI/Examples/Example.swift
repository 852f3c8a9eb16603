package import JSON

/// A call of a method and what may come of it.
package struct Example<Method: ControlMethod>: Sendable {
  private let call: Method
  private let result: Method.Result

  package init(_ call: Method, _ result: Method.Result) { (self.call, self.result) = (call, result) }

  /// The parameters of the call, as a client writes them.
  package var params: JSONObject { JSON { Method.parameters.write(call, to: &$0) }.object ?? [:] }

  /// The result, as the daemon writes it.
  package var resultJSON: JSON { Method.json(of: result) }
}
