import Accounts
import ControlAPI
import EventLoop
import Glibc
import JSON
import OATHExports
import TestLoop
import Vault

@testable import PingAM

/// Exports of another authenticator, and their import.
enum ImportSample {
  /// Records of one account as the older libraries store them, with changes to their members.
  static func records(_ push: JSONObject = [:], oath: JSONObject? = nil, account: JSONObject = [:])
    -> JSON
  {
    let names: JSONObject = ["issuer": "Acme", "accountName": "bob", "timeAdded": 1_629_261_902_660]
    var records = [changing(names, ["id": "Acme-bob", "lock": false], account)]
    records.append(
      changing(
        names,
        [
          "id": "Acme-bob-pushauth", "type": "pushauth", "mechanismUID": .string(AMBench.mechanism),
          "secret": .string(Base64.encode(AMBench.secret)), "uid": "b0b-uid", "resourceId": "phone-1",
          "authenticationEndpoint": .string("\(AMSample.endpoint)?_action=authenticate"),
          "registrationEndpoint": .string("\(AMSample.endpoint)?_action=register"),
        ],
        push
      )
    )
    if let oath {
      let mechanism: JSONObject = [
        "id": "Acme-bob-otpauth", "type": "otpauth", "mechanismUID": "other", "oathType": "TOTP",
        "secret": "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP", "algorithm": "sha256", "digits": 8, "period": 60,
      ]
      records.append(changing(names, mechanism, oath))
    }
    return .array(records)
  }

  static func changing(_ objects: JSONObject...) -> JSON {
    var object = JSONObject()
    for member in objects.flatMap(\.members) {
      object[member.name] = member.value.isNull ? nil : member.value
    }
    return .object(object)
  }

  @EventLoop
  static func take(
    _ bench: AMBench,
    _ records: JSON = records(),
    dryRun: Bool = false,
    owner: uid_t = AMBench.owner
  ) async throws -> AccountImport.Result {
    let request = AccountImport(data: records.text, format: .am, isDryRun: dryRun)
    let result = try await bench.life.accounts.importExport(request, owner: owner)
    try bench.life.vault.commit()
    await TestLoop.settle()
    return result
  }

  static func reasons(_ result: AccountImport.Result) -> [String] {
    result.skipped.map { "\($0.index) \($0.reason.name)" }
  }
}
