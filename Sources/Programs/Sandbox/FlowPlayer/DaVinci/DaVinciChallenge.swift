import HTTPServer
import JSON

/// What may be said of the status of a challenge.
enum DaVinciChallenge {
  static let outcomes: [FlowWord<FlowOutcome>] = [
    FlowWord("pending") { reader throws(FlowFileError) in
      try reader.true()
      return FlowOutcome { _ in .answer(.plain(200, ["isChallengeComplete": false])) }
    },
    FlowWord("complete") { reader throws(FlowFileError) in
      let status = try reader.template()
      return FlowOutcome { play in
        .answer(.plain(200, ["isChallengeComplete": true, "status": status.json(in: play)]))
      }
    },
    FlowWord("expired") { reader throws(FlowFileError) in
      try reader.true()
      return FlowOutcome { _ in
        .answer(
          .plain(
            400,
            [
              "code": "challengeExpired", "message": "The challenge has expired.",
              "serviceName": "challengeExpired",
            ]
          )
        )
      }
    },
    FlowWord("error") { reader throws(FlowFileError) in
      let status = try reader.int(400...599)
      return FlowOutcome { _ in
        .answer(.plain(status, ["code": "challengeError", "message": "The challenge is broken."]))
      }
    },
  ]
}
