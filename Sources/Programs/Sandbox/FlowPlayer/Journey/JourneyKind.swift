import JSON

extension FlowKind {
  static let journey = FlowKind(
    name: "journey",
    pages: [JourneyPage.kind, JourneyEnds.success, JourneyEnds.failure, .branch] + HostilePages.kinds,
    outcomes: [FlowOutcome.page, FlowOutcome.failedPolicies],
    challengeOutcomes: [],
    turn: { play in
      // It looks like the signed token that it is at AM, and clients must not look into it.
      let parts = [randomText(180, of: tokenAlphabet), randomText(43, of: tokenAlphabet)]
      play.turn = FlowTurn(token: "eyJ0eXAiOiJKV1QiLCJhbGciOiJIUzI1NiJ9.\(parts[0]).\(parts[1])")
    },
    refusal: { _, error in .am(401, "Login failure", error.shortMessage) }
  )
}
