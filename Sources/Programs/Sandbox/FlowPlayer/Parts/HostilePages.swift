import HTTPServer
import JSON

/// Kinds of pages that only a faulty or hostile server sends, and kinds with a response that the flow file
/// specifies exactly.
enum HostilePages {
  static let kinds: [FlowPageKind] = [
    FlowPageKind("answer") { members throws(FlowFileError) in
      let status = try members.optional("status")?.int(200...599) ?? 200
      let body = try members.required("body").template()
      return { play in .plain(status, body.json(in: play)) }
    },
    FlowPageKind("text") { members throws(FlowFileError) in
      let status = try members.optional("status")?.int(200...599) ?? 200
      let type = try members.optional("type")?.text() ?? "text/html"
      let text = try members.required("text").template()
      return { play in .content(type, Array(text.text(in: play).utf8), status: status) }
    },
    FlowPageKind("half") { members throws(FlowFileError) in
      let body = try members.required("body").template()
      return { play in
        let whole = body.json(in: play).serialized
        return .content("application/json", Array(whole.prefix(whole.count / 2)))
      }
    },
    FlowPageKind("large") { members throws(FlowFileError) in
      let bytes = try members.required("bytes").int(1...64 * 1024 * 1024)
      return { _ in
        let text = String(repeating: "x", count: bytes)
        return .content("application/json", Array(#"{"text":"\#(text)"}"#.utf8))
      }
    },
    FlowPageKind("deep") { members throws(FlowFileError) in
      let levels = try members.required("levels").int(1...1_000_000)
      return { _ in
        let brackets = ["[", "]"].map { String(repeating: $0, count: levels) }
        return .content("application/json", Array(brackets.joined().utf8))
      }
    },
    FlowPageKind("redirect") { members throws(FlowFileError) in
      let status = try members.optional("status")?.int(300...399) ?? 302
      let target = try members.required("to").template()
      return { play in HTTPResponse(status: status).with("Location", target.text(in: play)) }
    },
  ]
}
