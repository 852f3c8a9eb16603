import Authenticator
import ControlAPI
import EventLoop
import JSON

/// A platform that nobody can reach: what is tested beside it must not need one.
@EventLoop
final class AbsentPlatform: Platform {
  func keys(of record: PlatformRecord) async throws(PlatformError) -> PlatformKeys { throw .unreachable }
  func trust(_ identity: Identity) async throws(PlatformError) -> PlatformTrust { throw .unreachable }
  func setPushChannel(_ identity: Identity, _ channel: PushChannel, token: String?)
    async throws(PlatformError) -> Bool
  { throw .unreachable }
  func info(_ identity: Identity) async throws(PlatformError) -> PlatformInfo { throw .unreachable }
  func testPush(_ identity: Identity) async throws(PlatformError) -> String { throw .unreachable }
  func sendLogs(_ identity: Identity, _ report: LogReport) async throws(PlatformError) -> String {
    throw .unreachable
  }
  func pair(_ identity: Identity, key: String) async throws(PlatformError) -> PlatformPairing {
    throw .unreachable
  }
  func checkPasscode(_ identity: Identity, pairing: String, passcode: String) async throws(PlatformError)
    -> String?
  { throw .unreachable }
  func pushes(_ identity: Identity, after cursor: String?, wait: Int) async throws(PlatformError) -> PushBatch
  { throw .unreachable }
  func status(_ identity: Identity, push: String) async throws(PlatformError) -> PushStatus {
    throw .unreachable
  }
  func answer(_ identity: Identity, push: String, decision: String, posture: JSON) async throws(PlatformError)
    -> AnswerOutcome
  { throw .unreachable }
  func claim(_ identity: Identity, code: String, waitsForOwner: Bool) async throws(PlatformError)
    -> PlatformCode
  { throw .unreachable }
  func setNickname(_ identity: Identity, user: String, _ nickname: String) async throws(PlatformError) {
    throw .unreachable
  }
  func unpair(_ identity: Identity, user: String) async throws(PlatformError) { throw .unreachable }
  func rotateKeys(_ identity: Identity, to next: IdentityKeys, provenBy keys: IdentityKeys)
    async throws(PlatformError)
  { throw .unreachable }
  func answer(_ identity: Identity, code: String, decision: String) async throws(PlatformError)
    -> AuthenticationObject.Status
  { throw .unreachable }
}
