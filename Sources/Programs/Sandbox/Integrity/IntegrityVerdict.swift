enum IntegrityVerdict: Sendable {
  case passed, failed

  /// What is done when nothing can be judged.
  enum Strictness: String, CaseIterable, Codable, Shown { case permissive, restrictive }

  /// The verdict on a posture; when there is none, an earlier good verdict that still counts or else the strictness
  /// decides.
  init(_ posture: Posture?, strictness: Strictness, hasPassedLately: Bool) {
    guard let posture else {
      self = hasPassedLately || strictness == .permissive ? .passed : .failed
      return
    }
    let isBroken =
      posture.secureBoot == .disabled || posture.programProtected == .no || posture.stateProtected == .no
    self = isBroken ? .failed : .passed
  }
}
