import HTTPServer
import JSON

/// What may follow from an answer in a DaVinci flow.
enum DaVinciOutcomes {
  /// An error of the simple form, which leaves the page as it is.
  static let refuse = FlowWord<FlowOutcome>("refuse") { reader throws(FlowFileError) in
    var members = try reader.members()
    let message = try members.required("message").template()
    let code = try members.optional("code")?.template()
    let status = try members.optional("status")?.int(400...499) ?? 400
    let connector = try members.optional("connector")?.text() ?? "errorConnector"
    let capability = try members.optional("capability")?.text() ?? "customErrorMessage"
    let more = try members.optional("more")?.template()
    try members.end()
    return FlowOutcome { play in
      .answer(
        play.daVinciError(
          status,
          code: (code ?? message).text(in: play),
          message: message.text(in: play),
          connector: connector,
          capability: capability,
          more: more?.json(in: play).object ?? [:]
        )
      )
    }
  }

  /// Errors of attributes, which leave the page as it is.
  static let invalid = FlowWord<FlowOutcome>("invalid") { reader throws(FlowFileError) in
    var members = try reader.members()
    let message = try members.optional("message")?.template()
    let capability = try members.optional("capability")?.text() ?? "createUser"
    let list = try members.required("details")
    var details: [FlowTemplate] = []
    for element in try list.elements() {
      var detail = try element.members()
      for name in ["target", "message"] { _ = try detail.required(name) }
      for name in ["code", "innerError"] { _ = detail.optional(name) }
      try detail.end()
      details.append(try element.template())
    }
    guard !details.isEmpty else { throw list.failure("must not be empty") }
    try members.end()
    let found = details
    return FlowOutcome { play in
      let details = found.map { detail -> JSON in
        let given = detail.json(in: play).object ?? [:]
        return .present([
          ("code", given["code"] ?? "INVALID_VALUE"), ("target", given["target"]),
          ("message", given["message"]),
          ("innerError", given["innerError"]),
        ])
      }
      let first = details.first?["message"]?.string ?? ""
      let target = details.first?["target"]?.string ?? ""
      let error = PingOneError.invalid("", "")
      let raw: JSON = [
        "id": .string(ID<PingOneError>.random().text), "code": .string(error.code),
        "message": .string(error.message), "details": .array(details),
      ]
      return .answer(
        play.daVinciError(
          400,
          code: "invalidValue",
          message: message?.text(in: play) ?? "\(target): \(first)",
          connector: "pingOneSSOConnector",
          capability: capability,
          more: ["details": [["rawResponse": raw, "statusCode": 400]]]
        )
      )
    }
  }

  private static let rewinds = ["rewindStateToLastRenderedUI", "rewindStateToSpecificRenderedUI"]

  /// The client keeps showing what it shows.
  static let rewind = FlowWord<FlowOutcome>("rewind") { reader throws(FlowFileError) in
    let event = try reader.text(of: rewinds)
    return FlowOutcome { play in
      .answer(
        .plain(
          200,
          [
            "interactionId": .id(play.id), "eventName": .string(event), "id": .string(play.turn.node),
            "isResponseCompatibleWithMobileAndWebSdks": true,
          ]
        )
      )
    }
  }
}
