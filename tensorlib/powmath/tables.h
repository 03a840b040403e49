// Written by generate_tables.py: change that, not this.
// clang-format off
#pragma once

#include <cstdint>

namespace tensorlib::powmath {
namespace {

namespace float_tables {
// |u| <= 0.02197; the polynomial is within 2^-40.5.
constexpr int32_t kLogOffset = 0x3f355556;
constexpr float kLog2E = 0x1.715476p+0f;
constexpr float kLogShift = 0x1.8p+8f;
constexpr float kLog1 = 0x1.cab36ep-27f;
constexpr float kLog2 = -0x1.62e43p-2f;
constexpr float kLog3 = 0x1.47fd4p-3f;
constexpr float kLog4 = -0x1.55252ep-4f;
constexpr float kLog5 = 0x1.7a5df8p-5f;
alignas(64) constexpr float kLogScale[32] = {
    0x1.01dc04p+1f, 0x1.f8b504p+0f, 0x1.ee27dcp+0f, 0x1.e40956p+0f,
    0x1.da52c8p+0f, 0x1.d0fe1p+0f, 0x1.c80582p+0f, 0x1.bf63e4p+0f,
    0x1.b7145cp+0f, 0x1.af126ep+0f, 0x1.a759fp+0f, 0x1.9fe6fep+0f,
    0x1.98b5fep+0f, 0x1.91c396p+0f, 0x1.8b0c9ep+0f, 0x1.848e2ap+0f,
    0x1.7e457ap+0f, 0x1.783p+0f, 0x1.715476p+0f, 0x1.67f4cp+0f,
    0x1.5d5124p+0f, 0x1.5349eap+0f, 0x1.49d1fap+0f, 0x1.40dda6p+0f,
    0x1.38628p+0f, 0x1.30572ep+0f, 0x1.28b34p+0f, 0x1.216f1ep+0f,
    0x1.1a83ecp+0f, 0x1.13eb6cp+0f, 0x1.0d9ff8p+0f, 0x1.079c68p+0f,
};
// kLogShift is in them already; multiples of 2^-15.
alignas(64) constexpr float kLogHigh[32] = {
    0x1.7f84bp+8f, 0x1.7f8caap+8f, 0x1.7f9478p+8f, 0x1.7f9c1cp+8f,
    0x1.7fa398p+8f, 0x1.7faaeep+8f, 0x1.7fb22p+8f, 0x1.7fb93p+8f,
    0x1.7fc01cp+8f, 0x1.7fc6e8p+8f, 0x1.7fcd94p+8f, 0x1.7fd424p+8f,
    0x1.7fda94p+8f, 0x1.7fe0eap+8f, 0x1.7fe722p+8f, 0x1.7fed42p+8f,
    0x1.7ff348p+8f, 0x1.7ff934p+8f, 0x1.8p+8f, 0x1.80097ep+8f,
    0x1.801494p+8f, 0x1.801f56p+8f, 0x1.8029cap+8f, 0x1.8033f4p+8f,
    0x1.803dd8p+8f, 0x1.80477cp+8f, 0x1.8050ep+8f, 0x1.805a08p+8f,
    0x1.8062f6p+8f, 0x1.806bbp+8f, 0x1.807436p+8f, 0x1.807c8cp+8f,
};
alignas(64) constexpr float kLogLow[32] = {
    0x1.efd51cp-17f, -0x1.5c4e52p-18f, -0x1.84620ep-17f, -0x1.06bb22p-17f,
    0x1.32ef24p-20f, 0x1.28891cp-17f, 0x1.f6b59ap-18f, -0x1.97dee8p-17f,
    0x1.5a04ecp-21f, 0x1.fddeeep-19f, 0x1.ff1462p-17f, -0x1.29599p-17f,
    0x1.21352ep-17f, -0x1.24811ap-17f, 0x1.f60744p-17f, 0x1.dfeecp-20f,
    -0x1.2b442cp-18f, 0x1.1ebb2ap-17f, 0x0p+0f, 0x1.6106p-17f,
    -0x1.491ef8p-17f, -0x1.3953acp-17f, -0x1.139676p-17f, -0x1.e8a4bep-20f,
    0x1.2b39a6p-17f, -0x1.9a34bep-17f, -0x1.cb11fap-17f, -0x1.3050e2p-17f,
    0x1.f3f46ap-17f, 0x1.06f9b8p-17f, 0x1.fc1636p-18f, -0x1.7f8d26p-17f,
};
// The polynomial is within 2^-33.08.
constexpr float kExp1 = 0x1.62e43p-1f;
constexpr float kExp2 = 0x1.ebfce8p-3f;
constexpr float kExp3 = 0x1.c69dacp-5f;
// Bits of 2^(j/32) less j << 18, so that adding k << 18 gives those of 2^(k/32).
alignas(64) constexpr int32_t kExpBits[32] = {
    0x3f800000, 0x3f7ecd87, 0x3f7daac3, 0x3f7c980f,
    0x3f7b95c2, 0x3f7aa43a, 0x3f79c3d3, 0x3f78f4f0,
    0x3f7837f0, 0x3f778d3a, 0x3f76f532, 0x3f767043,
    0x3f75fed7, 0x3f75a15b, 0x3f75583f, 0x3f7523f6,
    0x3f7504f3, 0x3f74fbaf, 0x3f7508a4, 0x3f752c4d,
    0x3f75672a, 0x3f75b9be, 0x3f76248c, 0x3f76a81e,
    0x3f7744fd, 0x3f77fbb8, 0x3f78ccdf, 0x3f79b907,
    0x3f7ac0c7, 0x3f7be4ba, 0x3f7d257d, 0x3f7e83b3,
};
// What rounding took from them, relative.
alignas(64) constexpr float kExpRest[32] = {
    0x0p+0f, -0x1.947414p-25f, 0x1.8d96d4p-25f, -0x1.dda2fcp-25f,
    -0x1.9c0c22p-27f, -0x1.a2fbb2p-25f, 0x1.964904p-25f, -0x1.2b0dbcp-25f,
    0x1.125002p-25f, -0x1.cde8cep-26f, 0x1.370be4p-25f, 0x1.336de2p-30f,
    -0x1.0a355p-25f, -0x1.c541b4p-26f, -0x1.00d8acp-27f, -0x1.6cb284p-25f,
    0x1.26055cp-26f, 0x1.8b2bb8p-26f, -0x1.05cb44p-25f, -0x1.1c2142p-26f,
    0x1.67a1cap-28f, -0x1.348e56p-25f, 0x1.a3b5e4p-28f, -0x1.0b7ec8p-25f,
    -0x1.f9c304p-27f, -0x1.e4c886p-26f, -0x1.6961b4p-28f, -0x1.b5151ep-28f,
    -0x1.a5217cp-28f, -0x1.ab7132p-26f, 0x1.61428ep-28f, -0x1.2ad5f8p-27f,
};
}  // namespace float_tables

namespace double_tables {
// |r| <= 0.005737; the polynomial is within 2^-69.18 of its place, relative to r.
constexpr int64_t kLogOffset = 0x3fe6aaaaaaaaaaab;
constexpr double kLog2E = 0x1.71547652b82fep+0;
constexpr double kLogSecond = -0x1.71547652b82fep-1;
constexpr double kLog1 = 0x1.77761e7bcf6a8p-56;
constexpr double kLog2 = -0x1.7744d2171b567p-57;
constexpr double kLog3 = 0x1.ec709dc3a0417p-2;
constexpr double kLog4 = -0x1.71547652b832ap-2;
constexpr double kLog5 = 0x1.2776c50b4331cp-2;
constexpr double kLog6 = -0x1.ec709dba7dcb6p-3;
constexpr double kLog7 = 0x1.a61ce86ebd4f1p-3;
constexpr double kLog8 = -0x1.715a15d181998p-3;
alignas(64) constexpr double kLogInverse[128] = {
    0x1.68p+0, 0x1.66p+0, 0x1.64p+0, 0x1.62p+0,
    0x1.6p+0, 0x1.5ep+0, 0x1.5cp+0, 0x1.5cp+0,
    0x1.5ap+0, 0x1.58p+0, 0x1.56p+0, 0x1.54p+0,
    0x1.52p+0, 0x1.5p+0, 0x1.4ep+0, 0x1.4cp+0,
    0x1.4cp+0, 0x1.4ap+0, 0x1.48p+0, 0x1.46p+0,
    0x1.44p+0, 0x1.44p+0, 0x1.42p+0, 0x1.4p+0,
    0x1.3ep+0, 0x1.3cp+0, 0x1.3cp+0, 0x1.3ap+0,
    0x1.38p+0, 0x1.36p+0, 0x1.36p+0, 0x1.34p+0,
    0x1.32p+0, 0x1.32p+0, 0x1.3p+0, 0x1.2ep+0,
    0x1.2cp+0, 0x1.2cp+0, 0x1.2ap+0, 0x1.28p+0,
    0x1.28p+0, 0x1.26p+0, 0x1.24p+0, 0x1.24p+0,
    0x1.22p+0, 0x1.2p+0, 0x1.2p+0, 0x1.1ep+0,
    0x1.1ep+0, 0x1.1cp+0, 0x1.1ap+0, 0x1.1ap+0,
    0x1.18p+0, 0x1.18p+0, 0x1.16p+0, 0x1.14p+0,
    0x1.14p+0, 0x1.12p+0, 0x1.12p+0, 0x1.1p+0,
    0x1.0ep+0, 0x1.0ep+0, 0x1.0cp+0, 0x1.0cp+0,
    0x1.0ap+0, 0x1.0ap+0, 0x1.08p+0, 0x1.08p+0,
    0x1.06p+0, 0x1.06p+0, 0x1.04p+0, 0x1.04p+0,
    0x1.02p+0, 0x1.02p+0, 0x1p+0, 0x1.fcp-1,
    0x1.f8p-1, 0x1.f4p-1, 0x1.f2p-1, 0x1.eep-1,
    0x1.eap-1, 0x1.e6p-1, 0x1.e2p-1, 0x1.dep-1,
    0x1.dcp-1, 0x1.d8p-1, 0x1.d4p-1, 0x1.d2p-1,
    0x1.cep-1, 0x1.cap-1, 0x1.c8p-1, 0x1.c4p-1,
    0x1.c2p-1, 0x1.bep-1, 0x1.bcp-1, 0x1.b8p-1,
    0x1.b6p-1, 0x1.b2p-1, 0x1.bp-1, 0x1.acp-1,
    0x1.aap-1, 0x1.a8p-1, 0x1.a4p-1, 0x1.a2p-1,
    0x1.ap-1, 0x1.9cp-1, 0x1.9ap-1, 0x1.98p-1,
    0x1.94p-1, 0x1.92p-1, 0x1.9p-1, 0x1.8ep-1,
    0x1.8cp-1, 0x1.88p-1, 0x1.86p-1, 0x1.84p-1,
    0x1.82p-1, 0x1.8p-1, 0x1.7ep-1, 0x1.7cp-1,
    0x1.7ap-1, 0x1.76p-1, 0x1.74p-1, 0x1.72p-1,
    0x1.7p-1, 0x1.6ep-1, 0x1.6cp-1, 0x1.6ap-1,
};
// Multiples of 2^-40.
alignas(64) constexpr double kLogHigh[128] = {
    -0x1.f7a8568cbp-2, -0x1.ef6d67329p-2, -0x1.e726aa1e74p-2, -0x1.ded3fd4424p-2,
    -0x1.d6753e033p-2, -0x1.ce0a4923a4p-2, -0x1.c592fad294p-2, -0x1.c592fad294p-2,
    -0x1.bd0f2e9e78p-2, -0x1.b47ebf7388p-2, -0x1.abe18797fp-2, -0x1.a33760a7f8p-2,
    -0x1.9a802391e4p-2, -0x1.91bba891fp-2, -0x1.88e9c72e0cp-2, -0x1.800a56316p-2,
    -0x1.800a56316p-2, -0x1.771d2ba7fp-2, -0x1.6e221cd9dp-2, -0x1.6518fe4678p-2,
    -0x1.5c01a39fbcp-2, -0x1.5c01a39fbcp-2, -0x1.52dbdfc4c8p-2, -0x1.49a784bcdp-2,
    -0x1.406463b1bp-2, -0x1.37124cea4cp-2, -0x1.37124cea4cp-2, -0x1.2db10fc4d8p-2,
    -0x1.24407ab0ep-2, -0x1.1ac05b292p-2, -0x1.1ac05b292p-2, -0x1.11307dad3p-2,
    -0x1.0790adbb04p-2, -0x1.0790adbb04p-2, -0x1.fbc16b9028p-3, -0x1.e840be74e8p-3,
    -0x1.d49ee4c328p-3, -0x1.d49ee4c328p-3, -0x1.c0db6cdd98p-3, -0x1.acf5e2db5p-3,
    -0x1.acf5e2db5p-3, -0x1.98edd077e8p-3, -0x1.84c2bd02fp-3, -0x1.84c2bd02fp-3,
    -0x1.70742d4efp-3, -0x1.5c01a39fcp-3, -0x1.5c01a39fcp-3, -0x1.476a9f984p-3,
    -0x1.476a9f984p-3, -0x1.32ae9e2788p-3, -0x1.1dcd19755p-3, -0x1.1dcd19755p-3,
    -0x1.08c588cda8p-3, -0x1.08c588cda8p-3, -0x1.e72ec118p-4, -0x1.bc84240aep-4,
    -0x1.bc84240aep-4, -0x1.918a16e46p-4, -0x1.918a16e46p-4, -0x1.663f6fac9p-4,
    -0x1.3aa2fdd28p-4, -0x1.3aa2fdd28p-4, -0x1.0eb389fa3p-4, -0x1.0eb389fa3p-4,
    -0x1.c4dfab90ap-5, -0x1.c4dfab90ap-5, -0x1.6bad3758ep-5, -0x1.6bad3758ep-5,
    -0x1.11cd1d514p-5, -0x1.11cd1d514p-5, -0x1.6e79685c4p-6, -0x1.6e79685c4p-6,
    -0x1.6fe50b6fp-7, -0x1.6fe50b6fp-7, 0x0p+0, 0x1.72c7ba21p-7,
    0x1.743ee862p-6, 0x1.184b8e4c6p-5, 0x1.47aa07358p-5, 0x1.a6f9c377ep-5,
    0x1.0387efbcbp-4, 0x1.33f7cde15p-4, 0x1.64ce26c06p-4, 0x1.960caf9acp-4,
    0x1.aed391ab6p-4, 0x1.e0b1ae8f3p-4, 0x1.097e38ce6p-3, 0x1.162593187p-3,
    0x1.2f9e32d5cp-3, 0x1.494f863b9p-3, 0x1.563dc29ff8p-3, 0x1.7046031c78p-3,
    0x1.7d60496cf8p-3, 0x1.97c1cb13c8p-3, 0x1.a5094b54dp-3, 0x1.bfc67a8p-3,
    0x1.cd3c712d3p-3, 0x1.e857d3d36p-3, 0x1.f5fd8a906p-3, 0x1.08bce0d96p-2,
    0x1.0fa848044cp-2, 0x1.169c05364p-2, 0x1.249cd2b13cp-2, 0x1.2baa0c34cp-2,
    0x1.32bfee371p-2, 0x1.4106017c4p-2, 0x1.48365e695cp-2, 0x1.4f6fbb2cecp-2,
    0x1.5dfdcf1eecp-2, 0x1.6552b49988p-2, 0x1.6cb0f6865cp-2, 0x1.7418acebcp-2,
    0x1.7b89f02cf4p-2, 0x1.8a8980abfcp-2, 0x1.921800924cp-2, 0x1.99b072a96cp-2,
    0x1.a152f14298p-2, 0x1.a8ff97181p-2, 0x1.b0b67f4f48p-2, 0x1.b877c57b1cp-2,
    0x1.c043859e3p-2, 0x1.cffae611acp-2, 0x1.d7e6c0abc4p-2, 0x1.dfdd89d588p-2,
    0x1.e7df5fe538p-2, 0x1.efec61b01p-2, 0x1.f804ae8d0cp-2, 0x1.0014332bep-1,
};
alignas(64) constexpr double kLogLow[128] = {
    -0x1.b3b3864c60011p-44, 0x1.ddf82e1fe57c7p-42, -0x1.4d20c519e12f4p-42, 0x1.3676289cd3dd4p-43,
    0x1.5f101c141e67p-42, -0x1.87cc95d0a2ee8p-42, -0x1.b567e7ee54aefp-42, -0x1.b567e7ee54aefp-42,
    -0x1.030ab442ce32p-42, -0x1.50520a377c7ecp-45, -0x1.f48e1a4725559p-42, 0x1.faf6283bf2868p-42,
    0x1.cd0cb4492f1bcp-42, -0x1.708b4b2b5056cp-42, 0x1.bb4b69336b66ep-43, -0x1.c5432aeb609f5p-42,
    -0x1.c5432aeb609f5p-42, 0x1.3106e404cabb7p-44, -0x1.9bcaf1aa4168ap-43, 0x1.1646b761c48dep-44,
    -0x1.6879fa00b120ap-42, -0x1.6879fa00b120ap-42, -0x1.6b37dcf60e62p-42, -0x1.b8afe492bf6ffp-42,
    -0x1.125d6cbcd1095p-44, -0x1.bd9b32266d92cp-43, -0x1.bd9b32266d92cp-43, -0x1.aaf6f137a3d8cp-42,
    -0x1.ce60916e52e91p-44, 0x1.f1f5ae718f241p-43, 0x1.f1f5ae718f241p-43, -0x1.6eb9612e0b4f3p-43,
    0x1.fed21f9cb2cc5p-43, 0x1.fed21f9cb2cc5p-43, 0x1.7f5dc57266758p-43, 0x1.5b338360c2ae2p-43,
    0x1.3481b85a54d7fp-42, 0x1.3481b85a54d7fp-42, 0x1.908df8ec933b3p-42, 0x1.36c101ee1344p-43,
    0x1.36c101ee1344p-43, 0x1.e41fa0a62e6aep-44, -0x1.d97ee9124773bp-46, -0x1.d97ee9124773bp-46,
    -0x1.3f94e00e7d6bcp-46, 0x1.4bc302ffa76fbp-42, 0x1.4bc302ffa76fbp-42, 0x1.1659d8e2d7d38p-44,
    0x1.1659d8e2d7d38p-44, -0x1.70d0fa8f9603bp-42, -0x1.5bdaf522a183cp-42, -0x1.5bdaf522a183cp-42,
    0x1.871a7610e40bdp-45, 0x1.871a7610e40bdp-45, 0x1.69378d0928989p-42, 0x1.51167134e9647p-42,
    0x1.51167134e9647p-42, -0x1.9ad57391924a7p-43, -0x1.9ad57391924a7p-43, -0x1.3167ccc538261p-44,
    0x1.c7a4ff65ddbc9p-45, 0x1.c7a4ff65ddbc9p-45, 0x1.819530c22d152p-42, 0x1.819530c22d152p-42,
    -0x1.56bde9f1f0d3dp-42, -0x1.56bde9f1f0d3dp-42, -0x1.fb0e626c0de13p-42, -0x1.fb0e626c0de13p-42,
    0x1.97da24fd75f61p-42, 0x1.97da24fd75f61p-42, 0x1.2dd67591d81dfp-42, 0x1.2dd67591d81dfp-42,
    0x1.ef5d00e390ap-44, 0x1.ef5d00e390ap-44, 0x0p+0, -0x1.19b14945cf6bap-44,
    -0x1.95539356f93dcp-43, -0x1.2a0fadb83e4fep-42, -0x1.1f61a96b8ce77p-42, -0x1.672b0c88d4dd6p-44,
    -0x1.e5897de9078d1p-42, -0x1.8530f101bad19p-43, 0x1.c55ad0f90a497p-42, -0x1.20d8486e9222ap-42,
    0x1.9d3940238de7fp-42, -0x1.54cda62d3926ep-47, 0x1.924ae921f7ecap-45, -0x1.2c81df0fdbc29p-42,
    -0x1.17b2f1731efbep-46, -0x1.065a2ac5ac35fp-42, 0x1.6590643906f2ap-42, 0x1.f84be19cb9578p-43,
    0x1.da6339da288fcp-42, -0x1.3f7a55cd2af4cp-47, 0x1.41420276dd59dp-42, -0x1.667f21fa8423fp-44,
    0x1.109325dd5e814p-43, 0x1.367bde40c5e6dp-43, 0x1.f1a4847f7b278p-42, -0x1.7204f55bbf90dp-44,
    -0x1.95def21f8497bp-43, -0x1.d4f1b95e0ff45p-43, 0x1.ad89a083e072ap-43, -0x1.e1410132ae5e4p-42,
    -0x1.1979a5db68722p-42, -0x1.35d71963580bap-42, 0x1.796aa2981fdbcp-42, 0x1.661e393a16b95p-44,
    -0x1.1f1bbd2926f16p-42, -0x1.d8894dbdff331p-42, 0x1.1d406db502403p-43, -0x1.ce2935fff809ap-43,
    -0x1.552ce0ec3a295p-42, -0x1.66cccab240e9p-45, 0x1.d3b7f711abd5cp-42, 0x1.ac9bca36fd02ep-44,
    0x1.b3d7b0e65d2cep-46, 0x1.4bc302ffa76fbp-43, -0x1.7f00af09dc1c7p-42, -0x1.f20203b3186a6p-43,
    -0x1.2642415d47384p-45, 0x1.12b628e2d05d7p-42, -0x1.50e785694a8c6p-43, -0x1.1d4f639bb5cdfp-42,
    0x1.5669df6a2b592p-43, 0x1.f855b4987c5d5p-42, 0x1.a0331af2e6feap-43, 0x1.9518ce032f41dp-48,
};
// The polynomial is within 2^-64.39.
constexpr double kExp1 = 0x1.62e42fefa39efp-1;
constexpr double kExp2 = 0x1.ebfbdff82c35p-3;
constexpr double kExp3 = 0x1.c6b08d70f3c44p-5;
constexpr double kExp4 = 0x1.3b2abe1b53742p-7;
constexpr double kExp5 = 0x1.5d78f9d2e4683p-10;
// Bits of 2^(j/128) less j << 45, so that adding k << 45 gives those of 2^(k/128).
alignas(64) constexpr int64_t kExpBits[128] = {
    0x3ff0000000000000, 0x3feff63da9fb3335, 0x3fefec9a3e778061, 0x3fefe315e86e7f85,
    0x3fefd9b0d3158574, 0x3fefd06b29ddf6de, 0x3fefc74518759bc8, 0x3fefbe3ecac6f383,
    0x3fefb5586cf9890f, 0x3fefac922b7247f7, 0x3fefa3ec32d3d1a2, 0x3fef9b66affed31b,
    0x3fef9301d0125b51, 0x3fef8abdc06c31cc, 0x3fef829aaea92de0, 0x3fef7a98c8a58e51,
    0x3fef72b83c7d517b, 0x3fef6af9388c8dea, 0x3fef635beb6fcb75, 0x3fef5be084045cd4,
    0x3fef54873168b9aa, 0x3fef4d5022fcd91d, 0x3fef463b88628cd6, 0x3fef3f49917ddc96,
    0x3fef387a6e756238, 0x3fef31ce4fb2a63f, 0x3fef2b4565e27cdd, 0x3fef24dfe1f56381,
    0x3fef1e9df51fdee1, 0x3fef187fd0dad990, 0x3fef1285a6e4030b, 0x3fef0cafa93e2f56,
    0x3fef06fe0a31b715, 0x3fef0170fc4cd831, 0x3feefc08b26416ff, 0x3feef6c55f929ff1,
    0x3feef1a7373aa9cb, 0x3feeecae6d05d866, 0x3feee7db34e59ff7, 0x3feee32dc313a8e5,
    0x3feedea64c123422, 0x3feeda4504ac801c, 0x3feed60a21f72e2a, 0x3feed1f5d950a897,
    0x3feece086061892d, 0x3feeca41ed1d0057, 0x3feec6a2b5c13cd0, 0x3feec32af0d7d3de,
    0x3feebfdad5362a27, 0x3feebcb299fddd0d, 0x3feeb9b2769d2ca7, 0x3feeb6daa2cf6642,
    0x3feeb42b569d4f82, 0x3feeb1a4ca5d920f, 0x3feeaf4736b527da, 0x3feead12d497c7fd,
    0x3feeab07dd485429, 0x3feea9268a5946b7, 0x3feea76f15ad2148, 0x3feea5e1b976dc09,
    0x3feea47eb03a5585, 0x3feea34634ccc320, 0x3feea23882552225, 0x3feea155d44ca973,
    0x3feea09e667f3bcd, 0x3feea012750bdabf, 0x3fee9fb23c651a2f, 0x3fee9f7df9519484,
    0x3fee9f75e8ec5f74, 0x3fee9f9a48a58174, 0x3fee9feb564267c9, 0x3feea0694fde5d3f,
    0x3feea11473eb0187, 0x3feea1ed0130c132, 0x3feea2f336cf4e62, 0x3feea427543e1a12,
    0x3feea589994cce13, 0x3feea71a4623c7ad, 0x3feea8d99b4492ed, 0x3feeaac7d98a6699,
    0x3feeace5422aa0db, 0x3feeaf3216b5448c, 0x3feeb1ae99157736, 0x3feeb45b0b91ffc6,
    0x3feeb737b0cdc5e5, 0x3feeba44cbc8520f, 0x3feebd829fde4e50, 0x3feec0f170ca07ba,
    0x3feec49182a3f090, 0x3feec86319e32323, 0x3feecc667b5de565, 0x3feed09bec4a2d33,
    0x3feed503b23e255d, 0x3feed99e1330b358, 0x3feede6b5579fdbf, 0x3feee36bbfd3f37a,
    0x3feee89f995ad3ad, 0x3feeee07298db666, 0x3feef3a2b84f15fb, 0x3feef9728de5593a,
    0x3feeff76f2fb5e47, 0x3fef05b030a1064a, 0x3fef0c1e904bc1d2, 0x3fef12c25bd71e09,
    0x3fef199bdd85529c, 0x3fef20ab5fffd07a, 0x3fef27f12e57d14b, 0x3fef2f6d9406e7b5,
    0x3fef3720dcef9069, 0x3fef3f0b555dc3fa, 0x3fef472d4a07897c, 0x3fef4f87080d89f2,
    0x3fef5818dcfba487, 0x3fef60e316c98398, 0x3fef69e603db3285, 0x3fef7321f301b460,
    0x3fef7c97337b9b5f, 0x3fef864614f5a129, 0x3fef902ee78b3ff6, 0x3fef9a51fbc74c83,
    0x3fefa4afa2a490da, 0x3fefaf482d8e67f1, 0x3fefba1bee615a27, 0x3fefc52b376bba97,
    0x3fefd0765b6e4540, 0x3fefdbfdad9cbe14, 0x3fefe7c1819e90d8, 0x3feff3c22b8f71f1,
};
// What rounding took from them, relative.
alignas(64) constexpr double kExpRest[128] = {
    0x0p+0, 0x1.b3b4f1a88bf6ep-54, -0x1.160139cd8dc5dp-56, -0x1.05e7a108766d1p-54,
    0x1.cd2523567f613p-55, -0x1.bce8023f98efap-55, 0x1.0f74e61e6c861p-57, 0x1.0a3e45b33d399p-54,
    0x1.79aa65d837b6dp-54, 0x1.eb51a92fdeffcp-55, 0x1.ebe3d702f9cd1p-60, -0x1.a033489906e0bp-57,
    -0x1.556522a2fbd0ep-54, -0x1.080ef8c4eea55p-58, -0x1.1c923b9d5f416p-54, 0x1.0d3e3e95c55afp-55,
    -0x1.01b15eaa59348p-55, -0x1.f1ff055de323dp-55, 0x1.b898c3f1353bfp-55, -0x1.6d99c7611eb26p-54,
    0x1.aecf73e3a2f6p-54, -0x1.fe782cb86389dp-55, 0x1.a6f4144a6c38dp-55, 0x1.07a05b0e4047dp-55,
    0x1.68efde3a8a894p-54, 0x1.75e18f274487dp-55, 0x1.0472b981fe7f2p-55, -0x1.6b87b3f71085ep-54,
    0x1.2f7e16d09ab31p-55, -0x1.d219b1a6fbffap-60, 0x1.b3782720c0ab4p-55, 0x1.e149289cecb8fp-57,
    0x1.34d754db0abb6p-55, 0x1.64201e2ac744cp-55, 0x1.fdd395dd3f84ap-55, -0x1.6a3803b8e5b04p-55,
    -0x1.24aedcc4b5068p-54, -0x1.907f81b512d8ep-54, -0x1.1d1e83e9436d2p-56, -0x1.91919b3ce1b15p-54,
    0x1.59f48a72a4c6dp-55, -0x1.312607a28698ap-54, -0x1.8a78f4817895bp-58, -0x1.c2c9b67499a1bp-56,
    0x1.363ed60c2ac11p-59, 0x1.666093b0664efp-54, 0x1.ecce1daa10379p-57, 0x1.3ff8e3f0f123p-54,
    0x1.690cebb7aafbp-56, 0x1.31dbdeb54e077p-54, -0x1.f94340071a38ep-55, -0x1.7deccdc93a349p-55,
    -0x1.8dec6bd0f385fp-56, -0x1.61246ec7b5cf6p-55, 0x1.3350518fdd78ep-54, 0x1.b98b72f8a9b05p-56,
    0x1.063e1e21c5409p-54, 0x1.4c7855019c6eap-60, 0x1.432e62b64c035p-54, -0x1.ce44a6199769fp-55,
    -0x1.c33c53bef4da8p-55, -0x1.45378892be9aep-55, -0x1.3cedd78565858p-54, 0x1.710aa807e1964p-58,
    -0x1.3b3efbf5e2228p-54, -0x1.a12ad8734b982p-57, -0x1.367efb86da9eep-57, -0x1.0dc3d54e08851p-55,
    -0x1.81f647e5a3ecfp-56, -0x1.6ee4ac08b7dbp-55, -0x1.619321e55e68ap-55, 0x1.09ccb5e09d4d3p-54,
    -0x1.b32dcb94da51dp-56, 0x1.4ecfd5467c06bp-54, 0x1.5ebe1abd66c55p-57, -0x1.8a1c52fb3cf42p-55,
    -0x1.369b6f13b3734p-54, -0x1.05e843a19ff1ep-55, -0x1.4d450d872576ep-54, 0x1.0ad675b0e8ap-54,
    0x1.db72fc1f0eab4p-55, -0x1.5b6609cc5e7ffp-57, 0x1.bf68359f35f44p-56, -0x1.3091fa71e3d83p-54,
    -0x1.da9b88b6c1e29p-58, -0x1.c23f97c90b959p-57, -0x1.2434322f4f9aap-54, -0x1.5ca6cd7668e4bp-55,
    0x1.1affc2b91ce27p-56, 0x1.dd235e10a73bbp-57, -0x1.7c50422622263p-55, 0x1.b1c86e3e231d5p-55,
    -0x1.1bbd1d3bcbb15p-54, 0x1.0cc319cee31d2p-54, 0x1.469846e735ab3p-55, -0x1.2dfcd978e9db4p-55,
    0x1.c1a7792cb3387p-55, -0x1.07b8f4ad1d9fap-54, -0x1.5c3d956dcaebap-58, -0x1.0a40e3da6f64p-54,
    -0x1.8d6f438ad9334p-57, -0x1.1eee26b588a35p-54, 0x1.4ffd70a5fddcdp-56, -0x1.1bdfbfa9298acp-54,
    0x1.36eae30af0cb3p-56, 0x1.ee3325c9ffd94p-55, 0x1.4e08fd10959acp-55, 0x1.3cdaf384e1a67p-57,
    0x1.76b2c6c921968p-57, -0x1.08a1883ccb5d2p-55, -0x1.fad5d3ffffa6fp-55, -0x1.00dae3875a949p-54,
    0x1.4a385a63d07a7p-56, -0x1.2919e2040220fp-55, 0x1.e5a50d5c192acp-55, 0x1.43a59ac016b4bp-55,
    -0x1.2d52107b43e1fp-55, -0x1.92ab93b470dc9p-55, 0x1.4b604603a88d3p-56, 0x1.3c5ec519d7271p-55,
    -0x1.ff7128fd391fp-55, -0x1.dae98e223747dp-55, 0x1.ec3bc41aa2008p-55, 0x1.42b94c3a9eb32p-55,
    0x1.a64a931d185eep-55, -0x1.e37bae43be3edp-55, 0x1.7893b4d91cd9dp-56, 0x1.305c14160cc89p-58,
};
}  // namespace double_tables

}  // namespace
}  // namespace tensorlib::powmath
