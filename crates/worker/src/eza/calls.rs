//! Every function: its parameters there and back.

use ezasoket::{
    AF_INET, AF_INET6, ClientId, Errno, Function, IFREQ_BYTES, Request, ResultParameters,
    SelectMask, SocketControl, SocketName,
};
use std::net::IpAddr;

use super::blocks::CallBlocks;
use super::parameters::{CallFailure, CallParameters, CallResult, ask};
use super::{data, hosts, lists};
use crate::le::{LeArguments, LeResult, ServiceEnd};
use crate::worker::Worker;

/// CALL 'EZASOKET'.
pub(crate) fn call(w: &mut Worker, args: &LeArguments<'_>) -> LeResult {
    let name = args.get(0).map(|a| a.bytes()).unwrap_or_default();
    let name = &name[..name.len().min(16)];
    let Some(function) = Function::named(name) else {
        return finish(args, ResultParameters::Both, Err(Errno::FUNCTION.into()));
    };
    let ends = function.ends();
    let results = match ends {
        ResultParameters::Both => 2,
        ResultParameters::Retcode => 1,
        ResultParameters::Nothing => 0,
    };
    if args.count() != 1 + function.parameters() + results {
        return finish(args, ends, Err(Errno::PARAMETERS.into()));
    }
    let missing = |at: &usize| args.get(*at).is_none() && !may_be_missing(function, *at);
    let called = match (1..=function.parameters()).find(missing) {
        Some(_) => Err(Errno::EFAULT.into()),
        None => serve(w, &CallParameters { function, args }),
    };
    finish(args, ends, called)
}

/// Whether a parameter may be left out or have no address: masks and the event
/// control block of SELECT, RETARG where it is not used, names of hosts.
fn may_be_missing(function: Function, at: usize) -> bool {
    match function {
        Function::Select | Function::SelectEx => at > 2,
        Function::Ioctl => at == 4,
        Function::GetAddrInfo | Function::GetNameInfo => true,
        _ => false,
    }
}

/// Sets RETCODE and ERRNO, which come last.
fn finish(args: &LeArguments<'_>, ends: ResultParameters, called: CallResult) -> LeResult {
    let (retcode, errno) = match called {
        Ok(retcode) => (retcode, 0),
        Err(CallFailure::Errno(errno)) => (-1, errno.0),
        Err(CallFailure::Stop(stop)) => return Err(ServiceEnd::Stop(stop)),
    };
    let count = args.count();
    if ends != ResultParameters::Nothing && count > 1 {
        args.set_int(count - 1, retcode);
    }
    if ends == ResultParameters::Both && count > 2 {
        args.set_int(count - 2, i64::from(errno));
    }
    Ok(())
}

fn serve(w: &mut Worker, p: &CallParameters<'_, '_>) -> CallResult {
    match p.function {
        Function::InitApi => init(w, p),
        Function::TermApi => plain(w, &Request::new(p.function, 0)),
        // RETCODE is the address, which may look negative.
        Function::GetHostId => Ok(ask(w, &Request::new(p.function, 0))?.value),
        Function::Socket => {
            let mut request = Request::new(p.function, 0);
            request.args = [p.int(1)?, p.int(2)?, p.int(3)?, 0];
            plain(w, &request)
        }
        Function::Close => plain(w, &p.request()?),
        Function::Listen | Function::Shutdown => {
            let mut request = p.request()?;
            request.args[0] = p.int(2)?;
            plain(w, &request)
        }
        Function::Bind | Function::Connect => {
            let mut request = p.request()?;
            request.data = p.name(2)?;
            plain(w, &request)
        }
        Function::Accept | Function::GetPeerName | Function::GetSockName => {
            let reply = ask(w, &p.request()?)?;
            p.put(2, &reply.data);
            Ok(reply.retcode)
        }
        Function::Fcntl => {
            let mut request = p.request()?;
            request.args = [p.int(2)?, p.int(3)?, 0, 0];
            plain(w, &request)
        }
        Function::Ioctl => control(w, p),
        Function::GetSockOpt => option(w, p),
        Function::SetSockOpt => set_option(w, p),
        Function::GetClientId => {
            let reply = ask(w, &Request::new(p.function, 0))?;
            p.put(1, &reply.data);
            Ok(reply.retcode)
        }
        Function::GiveSocket | Function::TakeSocket => {
            let mut request = p.request()?;
            let client = p.get(2)?.bytes();
            request.data = client[..client.len().min(ClientId::BYTES)].to_vec();
            plain(w, &request)
        }
        Function::Select | Function::SelectEx => select(w, p),
        Function::Read | Function::Recv | Function::RecvFrom => data::receive(w, p),
        Function::Write | Function::Send | Function::SendTo => data::send(w, p),
        Function::ReadV | Function::RecvMsg => lists::receive(w, p),
        Function::WriteV | Function::SendMsg => lists::send(w, p),
        Function::Ntop => ntop(p),
        Function::Pton => pton(p),
        Function::GetHostName => hosts::own_name(w, p),
        Function::GetHostByName | Function::GetHostByAddr => hosts::lookup(w, p),
        Function::GetAddrInfo => hosts::addresses(w, p),
        Function::GetNameInfo => hosts::names(w, p),
        Function::FreeAddrInfo => Ok(0),
    }
}

/// A call that brings nothing back but RETCODE.
fn plain(w: &mut Worker, request: &Request) -> CallResult {
    Ok(ask(w, request)?.retcode)
}

fn init(w: &mut Worker, p: &CallParameters<'_, '_>) -> CallResult {
    let mut request = Request::new(p.function, 0);
    request.args[0] = p.int(1)?;
    let name = |at: usize| p.args.get(at).map_or([b' '; 16], |a| a.name::<16>());
    request.data = [&name(2)[..], &name(3)[..8]].concat();
    let reply = ask(w, &request)?;
    p.put_int(4, reply.value);
    Ok(reply.retcode)
}

/// IOCTL: COMMAND, REQARG, RETARG.
fn control(w: &mut Worker, p: &CallParameters<'_, '_>) -> CallResult {
    let mut request = p.request()?;
    request.args[0] = p.int(2)?;
    let control = SocketControl::numbered(request.args[0]);
    match control {
        Some(SocketControl::Interface(query)) if !query.requests_all() => {
            if p.get(4)?.size() < IFREQ_BYTES {
                return Err(Errno::EFAULT.into());
            }
            request.data = p.bytes(3, IFREQ_BYTES)?.to_vec();
        }
        Some(SocketControl::Interface(_)) => {
            let room = p.get(4)?.size() as i64;
            request.args[1] = p.int(3)?.min(room);
        }
        Some(SocketControl::NonBlocking) => request.args[1] = p.int(3)?,
        Some(_) => drop(p.get(4)?),
        None => {}
    }
    let reply = ask(w, &request)?;
    match control {
        Some(SocketControl::Interface(_)) => p.put(4, &reply.data),
        Some(SocketControl::NonBlocking) => {}
        _ => p.put_int(4, reply.value),
    }
    Ok(reply.retcode)
}

fn option(w: &mut Worker, p: &CallParameters<'_, '_>) -> CallResult {
    let mut request = p.request()?;
    let length = p.int(4)?;
    request.args = [p.int(2)?, length, 0, 0];
    let reply = ask(w, &request)?;
    if (reply.data.len() as i64) > length {
        return Err(Errno::OPTION_LENGTH.into());
    }
    let value = p.get(3)?;
    match (value.is_number(), reply.data.first_chunk()) {
        (true, Some(word)) => value.set_int(i64::from(i32::from_be_bytes(*word))),
        _ => value.set_bytes(&reply.data, reply.data.len()),
    }
    p.put_int(4, reply.data.len() as i64);
    Ok(reply.retcode)
}

fn set_option(w: &mut Worker, p: &CallParameters<'_, '_>) -> CallResult {
    let mut request = p.request()?;
    let length = usize::try_from(p.int(4)?).map_err(|_| Errno::SET_OPTION_LENGTH)?;
    request.args = [p.int(2)?, length as i64, 0, 0];
    let value = p.get(3)?;
    request.data = if value.is_number() {
        (value.int() as i32).to_be_bytes().to_vec()
    } else {
        p.bytes(3, length)?.to_vec()
    };
    plain(w, &request)
}

fn select(w: &mut Worker, p: &CallParameters<'_, '_>) -> CallResult {
    let maxsoc = p.int(1)?;
    // Masks for more would have no room in a call.
    if maxsoc > ezasoket::MOST_SOCKETS {
        return Err(Errno::SELECT_MAXSOC.into());
    }
    // Zero or less is a timer.
    let maxsoc = usize::try_from(maxsoc).unwrap_or(0);
    let blocks = match p.function {
        Function::SelectEx => CallBlocks::of(p.args.get(9))?,
        _ => CallBlocks::default(),
    };
    if blocks.are_posted(w)? {
        return Err(Errno::EIBMSELECTEXPOST.into());
    }
    let timeout = p.get(2)?.bytes();
    let word = |at: usize| {
        let four = timeout.get(at..at + 4).and_then(|f| f.try_into().ok());
        i64::from(i32::from_be_bytes(four.unwrap_or_default()))
    };
    let mut request = Request::new(p.function, 0);
    request.args = [maxsoc as i64, word(0), word(4), 0];
    let size = SelectMask::bytes(maxsoc);
    for at in 3..=5 {
        let mask = p.args.get(at).map_or(&[][..], |a| a.bytes());
        request.data.extend(SelectMask::parse(mask, maxsoc).emit());
    }
    let reply = blocks.ask_until_posted(w, &mut request)?;
    for (at, mask) in (6..=8).zip(reply.data.chunks(size.max(1))) {
        p.put(at, mask);
    }
    Ok(reply.retcode)
}

/// NTOP: FAMILY, IP-ADDRESS, PRESENTABLE-ADDRESS and its length.
fn ntop(p: &CallParameters<'_, '_>) -> CallResult {
    let octets = p.get(2)?.bytes();
    let ip = match p.int(1)? as u16 {
        AF_INET => IpAddr::from(first::<4>(octets)?),
        AF_INET6 => IpAddr::from(first::<16>(octets)?),
        _ => return Err(Errno::EAFNOSUPPORT.into()),
    };
    let text = ip.to_string();
    let room = p.get(3)?;
    if (text.len() as i64) > p.int(4)? || text.len() > room.size() {
        return Err(Errno::ENOSPC.into());
    }
    room.set_chars(text.as_bytes());
    p.put_int(4, text.len() as i64);
    Ok(0)
}

/// PTON: FAMILY, PRESENTABLE-ADDRESS and its length, IP-ADDRESS.
fn pton(p: &CallParameters<'_, '_>) -> CallResult {
    let text = p.text(2, p.int(3)?)?;
    let text = std::str::from_utf8(text).map_err(|_| Errno::EINVAL)?;
    let ip: IpAddr = text.trim().parse().map_err(|_| Errno::EINVAL)?;
    match (p.int(1)? as u16, ip) {
        (AF_INET, IpAddr::V4(_)) | (AF_INET6, IpAddr::V6(_)) => {}
        (AF_INET | AF_INET6, _) => return Err(Errno::EINVAL.into()),
        _ => return Err(Errno::EAFNOSUPPORT.into()),
    }
    p.put(4, &SocketName::octets(ip));
    Ok(0)
}

fn first<const N: usize>(bytes: &[u8]) -> Result<[u8; N], Errno> {
    bytes.first_chunk().copied().ok_or(Errno::EINVAL)
}
