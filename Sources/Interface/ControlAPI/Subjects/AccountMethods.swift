package import JSONRPC

package struct AccountList: ControlMethod {
  package static let name = "account.list"
  package static let access = AccessClass.read
  package static let summary = "lists the accounts that are paired"
  package static let errors: [RPCError] = [.keyUnavailable]
  package static let parameters = Shape(AccountList.init)
  package static let envelope: Shape<[Account]>? = .member("accounts", "the caller's accounts")
  package static var example: Example<Self> { Example(AccountList(), [Samples.account]) }

  package init() {}
}

package struct AccountRename: ControlMethod {
  package static let name = "account.rename"
  package static let access = AccessClass.admin
  package static let summary = "gives an account a name of its owner's, here and with its platform"
  package static let errors: [RPCError] = .platform + [.notFound, .policyRefuses, .accountLocked]
  package static let audit: AuditRule<Self>? = AuditRule(target: \.account)
  package static let parameters = Shape(
    AccountRename.init(account:nickname:),
    .required("account", \.account, as: .identifier, "the account"),
    .required("nickname", \.nickname, as: .text(maximum: 200), "what to call it")
  )
  package static var example: Example<Self> {
    Example(AccountRename(account: "a1", nickname: "desk"), Samples.account)
  }

  package typealias Result = Account

  package let account: String
  package let nickname: String

  package init(account: String, nickname: String) {
    (self.account, self.nickname) = (account, nickname)
  }
}

package struct AccountRemove: ControlMethod {
  package static let name = "account.remove"
  package static let access = AccessClass.admin
  package static let summary = "ends a pairing, on both sides or on this one alone"
  package static let errors: [RPCError] = .platform + [.notFound, .policyRefuses]
  package static let audit: AuditRule<Self>? = AuditRule(target: \.account)
  package static let parameters = Shape(
    AccountRemove.init(account:isLocalOnly:),
    .required("account", \.account, as: .identifier, "the account"),
    .optional("localOnly", \.isLocalOnly, default: false, "the platform is not told")
  )
  package static let envelope: Shape<Bool>? = .member("remainsOnServer", "the platform still has the pairing")
  package static var example: Example<Self> { Example(AccountRemove(account: "a1"), false) }

  package let account: String
  package let isLocalOnly: Bool

  package init(account: String, isLocalOnly: Bool = false) {
    (self.account, self.isLocalOnly) = (account, isLocalOnly)
  }
}

package struct AccountEnrol: ControlMethod {
  package static let name = "account.enrol"
  package static let access = AccessClass.admin
  package static let summary = "makes an account of an enrolment URI, as a QR code holds it"
  package static let errors: [RPCError] = [
    .conflict, .quota, .keyUnavailable, .noConnectivity, .serverError, .tokenRejected, .policyRefuses,
    .originRefused,
  ]
  package static let audit: AuditRule<Self>? = AuditRule(made: \.id)
  package static let parameters = Shape(
    AccountEnrol.init(uri:),
    .required("uri", \.uri, as: .text(maximum: 8192), "an otpauth, pushauth or mfauth URI")
  )
  package static var example: Example<Self> {
    Example(AccountEnrol(uri: Samples.keyURI), Samples.oathAccount)
  }

  package typealias Result = Account

  package let uri: String

  package init(uri: String) { self.uri = uri }
}

package struct AccountImport: ControlMethod {
  package static let name = "account.import"
  package static let access = AccessClass.admin
  package static let summary = "makes accounts of what another authenticator exported, all or none"
  package static let errors: [RPCError] = [.keyUnavailable]
  package static let parameters = Shape(
    AccountImport.init(data:encoding:format:password:isDryRun:),
    .required("data", \.data, as: .text(maximum: longestData), "the export, at most 180 KiB"),
    .optional("encoding", \.encoding, default: .text, "how data holds the export"),
    .optional("format", \.format, default: .auto, "whose export it is; auto: by what the data shows"),
    .optional(
      passwordParameter,
      \.password,
      as: .text(maximum: 1024),
      "what an encrypted export is opened with"
    ),
    .optional("dryRun", \.isDryRun, default: false, "only tell what would become of it")
  )
  package static var example: Example<Self> {
    Example(
      AccountImport(data: Samples.keyURI, format: .uris),
      Result(accounts: [Samples.oathAccount], skipped: [])
    )
  }

  /// 180 KiB in Base64, which fits a line with the rest of the request.
  private static let longestData = 245_760

  /// What errors name that want the password of an encrypted export.
  package static let passwordParameter = "password"

  package enum Encoding: String, ControlChoice {
    case text, base64
  }

  package enum Format: String, ControlChoice {
    case auto, uris, migration, aegis, andotp, bitwarden, freeotp
    case twoFAS = "2fas"
    case am
  }

  /// An entry of which no account was made.
  package struct Skipped: ControlObject {
    package enum Reason: String, ControlChoice {
      case exists, unsupported, invalid, quota
      /// Of a server whose accounts are not taken.
      case originRefused
    }

    package let index: Int
    package let issuer: String?
    package let label: String?
    package let reason: Open<Reason>

    package init(index: Int, issuer: String?, label: String?, reason: Open<Reason>) {
      (self.index, self.issuer, self.label, self.reason) = (index, issuer, label, reason)
    }

    package static let shape = Shape(
      Skipped.init(index:issuer:label:reason:),
      .required("index", \.index, "its place in the export, from 0"),
      .optional("issuer", \.issuer, "who issued it"),
      .optional("label", \.label, "whose it is"),
      .required("reason", \.reason, "why there is no account of it")
    )
  }

  package struct Result: ControlObject {
    package let accounts: [Account]
    package let skipped: [Skipped]

    package init(accounts: [Account], skipped: [Skipped]) {
      (self.accounts, self.skipped) = (accounts, skipped)
    }

    package static let shape = Shape(
      Result.init(accounts:skipped:),
      .required("accounts", \.accounts, "the accounts that were made, or would be"),
      .required("skipped", \.skipped, "the entries without an account")
    )
  }

  package let data: String
  package let encoding: Encoding
  package let format: Format
  package let password: String?
  package let isDryRun: Bool

  package init(
    data: String,
    encoding: Encoding = .text,
    format: Format = .auto,
    password: String? = nil,
    isDryRun: Bool = false
  ) {
    (self.data, self.encoding, self.format) = (data, encoding, format)
    (self.password, self.isDryRun) = (password, isDryRun)
  }
}
