internal import Accounts
internal import Approvals
internal import Configuration
internal import EventLoop
internal import Machine
internal import PingAM
internal import PingOne
internal import Settings
internal import Time
internal import Vault

extension PingAMServices {
  @EventLoop
  init(
    accounts: AMAccounts,
    server: AMServer,
    approvals: Approvals,
    quota: Quota,
    retention: Retention,
    channels: PushChannels,
    settings: Settings,
    time: TimeSource
  ) {
    self.accounts = accounts
    let device = AMDevice(name: MachineNames().host) { [channels] in try channels.token(of: $0) }
    refresh = AMTokenRefresh(accounts: accounts, server: server, device: device)
    channels.whenChanged { [refresh] in try refresh.addressChanged(of: $0) }
    enroller = AMEnroller(
      accounts: accounts,
      server: server,
      device: device,
      refresh: refresh,
      settings: settings
    )
    pushes = AMPushes(
      accounts: accounts,
      approvals: approvals,
      quota: quota,
      retention: retention,
      time: time
    )
    approvals.register(
      AMPushApprover(accounts: accounts, server: server, approvals: approvals, time: time)
    )
  }
}
