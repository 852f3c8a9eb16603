import Approvals
import ControlAPI
import CourierProtocol
import JSON
import JSONRPC
import PingOne
import SQLite
import Testing
import Vault

@testable import Daemon

@Suite("handlers")
struct HandlerTableTests {
  @Test("each method has exactly one handler, and each handler its method")
  func agreement() {
    let handled = HandlerTable.all.map { $0.method.name }
    #expect(Set(handled).count == handled.count)
    #expect(handled.sorted() == MethodTable.all.map { $0.name })
    for handler in HandlerTable.all {
      #expect(MethodTable.all.contains { $0 == handler.method }, "\(handler.method.name)")
    }
  }

  @Test("read methods are answered in the same loop iteration")
  func reading() {
    // The device report and the doctor send requests to servers. The verification of the full audit or of a
    // PIN takes longer than one iteration.
    let asking = ["audit.verify", "device.info", "lock.unlock", "service.doctor"]
    for handler in HandlerTable.all
    where handler.method.access == .read && !asking.contains(handler.method.name) {
      if case .asynchronous = handler.work { Issue.record("\(handler.method.name) waits") }
    }
  }
}

@Suite("error mapping")
struct ErrorNamingTests {
  private struct Unforeseen: Error {}

  @Test("errors of the interface are unchanged")
  func own() {
    for error in RPCError.documented { #expect(RPCError(naming: error) == error, "\(error.reason)") }
    let detailed = RPCError.quota.with(["limit": 8])
    #expect(RPCError(naming: detailed) == detailed)
  }

  @Test("platform failures have their codes")
  func platform() {
    #expect(RPCError(naming: PlatformError.unreachable(.unresolved)) == .noConnectivity.withCause(.dns))
    let failure = RPCError(naming: PlatformError.failed(.http, status: 502))
    #expect(failure == .serverError.withCause(.http, status: 502) && failure.details == ["status": 502])
    #expect(RPCError(naming: PlatformError.unknownKey) == .serverError.withCause(.notPlatform))
    #expect(RPCError(naming: PlatformError.deviceUnknown) == .notPaired)
    #expect(RPCError(naming: PlatformError.refused(.bundleID)) == .bundleID)
    #expect(RPCError(naming: Refusal(.bundleID)) == .bundleID)
  }

  @Test("vault failures contain their kind and no other detail")
  func storage() {
    let kinds: [(SQLiteError.Kind, ErrorCause, String)] = [
      (.full, .full, "full"), (.readOnly, .readOnly, "readOnly"), (.corrupt, .corrupt, "corrupt"),
      (.busy, .busy, "busy"), (.newer, .newer, "newer"), (.constraint, .corrupt, "corrupt"),
      (.failed, .diskError, "corrupt"), (.replaced, .replaced, "replaced"), (.missing, .missing, "corrupt"),
    ]
    for (kind, cause, name) in kinds {
      let error = RPCError(naming: SQLiteError(kind))
      #expect(error == .storage.withCause(cause).with(["kind": .string(name)]), "\(name)")
    }
  }

  @Test("an unexpected error is an internal error without details")
  func unforeseen() {
    let error = RPCError(naming: Unforeseen())
    #expect(error == .internalFailure)
    #expect(!error.json.text.contains("Unforeseen"))
    #expect(RPCError(naming: CancellationError()) == .noConnectivity)
  }
}
