internal import ControlClient
internal import JSONRPC

extension Failure {
  /// The same failure; where it is this error of the daemon's, with the name by which there is none.
  func naming(_ name: String, on error: RPCError) -> Failure {
    guard case .refused(var refusal) = self, refusal.isOne(of: error) else { return self }
    refusal.named = "\(name)"
    return .refused(refusal)
  }

  /// The same failure; where it is this error of the daemon's, with what the command knows to advise about it.
  func advising(_ advice: SafeText, on error: RPCError) -> Failure {
    guard case .refused(var refusal) = self, refusal.isOne(of: error), refusal.advice == nil else {
      return self
    }
    refusal.advice = advice
    return .refused(refusal)
  }
}
