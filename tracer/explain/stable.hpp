// A record without what differs from run to run. Pure.
#pragma once

#include "record/record.hpp"

namespace callpath {

/// The same path without addresses and identities: program counters go (module offsets stay), addresses in values, facts and evidence
/// become 0x…, thread numbers count from 1 in the order in which threads appear. Two captures of the same stop give the same report.
Recording stable(Recording);

}  // namespace callpath
