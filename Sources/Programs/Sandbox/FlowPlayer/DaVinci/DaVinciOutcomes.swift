import HTTPServer
import JSON

/// Outcomes of an answer in a DaVinci flow, and of a request for the status of a challenge.
enum DaVinciOutcomes {
  /// Responds with one error code and message; the page stays the same.
  static let refuse = FlowWord<FlowOutcome>("refuse") { reader throws(FlowFileError) in
    var members = try reader.members()
    let message = try members.required("message").template()
    let code = try members.template("code") ?? message
    let status = try members.optional("status")?.int(400...499) ?? 400
    var source = ErrorSource()
    source.connector = try members.optional("connector")?.text() ?? source.connector
    source.capability = try members.optional("capability")?.text() ?? source.capability
    let more = try members.object("more")
    try members.end()
    return FlowOutcome { [source] play in
      let (code, message) = (code.text(in: play), message.text(in: play))
      return .response(
        play.daVinciError(status, code: code, message: message, by: source, more: more.object(in: play))
      )
    }
  }

  static let invalid = FlowWord<FlowOutcome>("invalid") { reader throws(FlowFileError) in
    var members = try reader.members()
    let message = try members.template("message")
    let capability = try members.optional("capability")?.text() ?? "createUser"
    let list = try members.required("details")
    let details = try list.elements().map { element throws(FlowFileError) in
      var detail = try element.members()
      for name in ["target", "message"] { _ = try detail.required(name) }
      for name in ["code", "innerError"] { _ = detail.optional(name) }
      try detail.end()
      return try element.template()
    }
    guard !details.isEmpty else { throw list.failure("must not be empty") }
    try members.end()
    return FlowOutcome { play in
      let found = details.map { JSONObject(of: ["code": "INVALID_VALUE"]).adding($0.object(in: play)) }
      let first = "\(found.first?["target"]?.string ?? ""): \(found.first?["message"]?.string ?? "")"
      let raw = ErrorResponse.invalid("", "").json.adding(.of(["details": found]))
      return .response(
        play.daVinciError(
          400,
          code: "invalidValue",
          message: message?.text(in: play) ?? first,
          by: ErrorSource(connector: "pingOneSSOConnector", capability: capability),
          more: ["details": [["rawResponse": raw, "statusCode": 400]]]
        )
      )
    }
  }

  /// Responds with an event that rewinds the client to a page that it has rendered.
  static let rewind = FlowWord<FlowOutcome>("rewind") { reader throws(FlowFileError) in
    let event = try reader.text(of: [
      "rewindStateToLastRenderedUI", "rewindStateToSpecificRenderedUI",
    ])
    return FlowOutcome { play in
      let body = JSON.of([
        "interactionId": play.id, "eventName": event, "id": play.turn.node,
        "isResponseCompatibleWithMobileAndWebSdks": true,
      ])
      return .plain(200, body)
    }
  }

  /// Outcomes of a request for the status of a challenge.
  static let challenge: [FlowWord<FlowOutcome>] = [
    FlowWord("pending") { reader throws(FlowFileError) in
      try reader.true()
      return FlowOutcome { _ in .plain(200, ["isChallengeComplete": false]) }
    },
    FlowWord("complete") { reader throws(FlowFileError) in
      let status = try reader.template()
      return FlowOutcome { play in
        .plain(200, ["isChallengeComplete": true, "status": status.json(in: play)])
      }
    },
    FlowWord("expired") { reader throws(FlowFileError) in
      try reader.true()
      let code: JSON = "challengeExpired"
      return FlowOutcome { _ in
        .plain(400, ["code": code, "message": "The challenge has expired.", "serviceName": code])
      }
    },
    FlowWord("error") { reader throws(FlowFileError) in
      let status = try reader.int(400...599)
      return FlowOutcome { _ in
        .plain(status, ["code": "challengeError", "message": "The challenge is broken."])
      }
    },
  ]
}

extension FlowMove {
  fileprivate static func plain(_ status: Int, _ body: JSON) -> FlowMove { .response(.plain(status, body)) }
}
