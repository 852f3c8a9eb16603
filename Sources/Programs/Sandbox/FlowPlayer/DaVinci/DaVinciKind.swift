import JSON

extension FlowKind {
  /// DaVinci's interface for native clients, `response_mode=pi.flow`.
  static let daVinci = FlowKind(
    name: "davinci",
    pages: [DaVinciForm.kind, DaVinciEnds.success, DaVinciEnds.failure, .branch] + HostilePages.kinds,
    outcomes: [
      FlowOutcome.page, DaVinciOutcomes.refuse, DaVinciOutcomes.invalid, DaVinciOutcomes.rewind,
    ],
    challengeOutcomes: DaVinciChallenge.outcomes,
    turn: { play in
      play.turn = FlowTurn(
        node: randomText(10, of: "abcdefghijklmnopqrstuvwxyz0123456789"),
        token: randomText(256, of: "0123456789abcdef")
      )
    },
    refusal: { play, error in
      let message = error.details.first.map { "\($0.target): \($0.message)" }
      return play.daVinciError(error.row.status, code: error.code, message: message ?? error.message)
    }
  )
}
