internal import ControlAPI
internal import JSONRPC

extension Work {
  /// The work of a call: parsing a request, and writing a reply from the table of its members.
  static let calls: [Work] =
    call("status", ServiceStatus(), Samples.status) + call("passcode", PasscodeGet(), Samples.passcode)

  private static func call<Method: ControlMethod>(
    _ name: String,
    _ method: Method,
    _ result: Method.Result
  ) -> [Work] {
    let line = method.request(id: 1)
    return [
      Work(name: "\(name)-read") { Operation(bytes: line.count) { keep(try RPCMessage(parsing: line)) } },
      Work(name: "\(name)-written") {
        guard case .single(let request) = try RPCMessage(parsing: line), let id = try request.get().id else {
          throw WorkFailure("invalid request")
        }
        return Operation { keep(RPCReply(id: id) { Method.write(result, to: &$0) }) }
      },
    ]
  }
}
