import JSON

extension FlowKind {
  /// PingAM's `authenticate`.
  static let journey = FlowKind(
    name: "journey",
    pages: HostilePages.kinds,
    outcomes: [DaVinciOutcomes.page],
    challengeOutcomes: [],
    turn: { _ in },
    refusal: { _, error in error.response }
  )
}
