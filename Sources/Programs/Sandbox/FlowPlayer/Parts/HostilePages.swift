import HTTPServer
import JSON

/// The kinds of pages that no good server sends, and those that say exactly what is sent.
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
      return { play in
        HTTPResponse(
          status: status,
          headers: HTTPHeaders([("Content-Type", type)]),
          body: Array(text.text(in: play).utf8)
        )
      }
    },
    FlowPageKind("half") { members throws(FlowFileError) in
      let body = try members.required("body").template()
      return { play in
        let whole = body.json(in: play).serialized
        return json(Array(whole.prefix(whole.count / 2)))
      }
    },
    FlowPageKind("large") { members throws(FlowFileError) in
      let bytes = try members.required("bytes").int(1...64 * 1024 * 1024)
      return { _ in
        json(
          Array(#"{"text":""#.utf8) + [UInt8](repeating: UInt8(ascii: "x"), count: bytes) + Array(#""}"#.utf8)
        )
      }
    },
    FlowPageKind("deep") { members throws(FlowFileError) in
      let levels = try members.required("levels").int(1...1_000_000)
      return { _ in
        json(
          [UInt8](repeating: UInt8(ascii: "["), count: levels)
            + [UInt8](repeating: UInt8(ascii: "]"), count: levels)
        )
      }
    },
    FlowPageKind("redirect") { members throws(FlowFileError) in
      let status = try members.optional("status")?.int(300...399) ?? 302
      let target = try members.required("to").template()
      return { play in
        HTTPResponse(status: status, headers: HTTPHeaders([("Location", target.text(in: play))]))
      }
    },
  ]

  private static func json(_ body: [UInt8]) -> HTTPResponse {
    HTTPResponse(status: 200, headers: HTTPHeaders([("Content-Type", "application/json")]), body: body)
  }
}
