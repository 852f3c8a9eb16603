internal import ControlAPI
internal import JSONRPC

extension Work {
  private static let line = ServiceStatus().request(id: 1)

  /// What each call takes, whoever makes it: its request is read, and its reply written from the table of the members.
  static let calls: [Work] = [
    Work(name: "status-read") { Operation(bytes: line.count) { keep(try RPCMessage(parsing: line)) } },
    Work(name: "status-written") {
      guard case .single(let request) = try RPCMessage(parsing: line), let id = try request.get().id else {
        throw WorkFailure("no request")
      }
      let status = Samples.status
      return Operation { keep(RPCReply(id: id) { ServiceStatus.write(status, to: &$0) }) }
    },
  ]
}
