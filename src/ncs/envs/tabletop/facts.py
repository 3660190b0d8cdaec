"""Every hand-set number of robogym-rearrange, and the record by which the package knows it."""

from typing import Literal

import numpy as np

from ncs.envs.appearance import STYLES_HELP
from ncs.registry import Published, World

NAME = "robogym-rearrange"

# The table and what lies on it, in metres
HALF_AREA = np.array([0.30375, 0.29089])  # half of the placement area
LONGEST = 0.15  # extent of every mesh
REACH = 0.05  # a pick, and a constraint, tolerates less than this
SLACK = 1e-6  # a micrometre absorbs the rounding of float32 tasks and actions
MAX_OBJECTS = 8  # nine and four goals would need 13 cells, which almost no scene has
MESHES_VARIABLE = "NCS_MESHES"  # names a folder of meshes instead of the package's own

# Colours
PALETTE = np.array(
    [
        *[(0, 0, 1), (0, 1, 0), (1, 0, 0), (1, 1, 0), (1, 0, 1), (0, 1, 1)],
        *[(1, 0.5, 0), (1, 0, 0.5), (0.5, 0, 1), (0, 0.5, 1), (0.5, 1, 0), (0, 1, 0.5)],
        (0.25, 0, 0.5),
    ]
)
HELD_MESHES = 3  # every third mesh can be kept from training
HELD_COLOURS = (4, 6, 9, 11)  # magenta, orange, azure, spring green: between those that stay
Style = Literal["plain", "seen", "unseen"]

# The picture
FRAME = 256  # pixels a side of the authors' pictures; smaller images are reduced from it
# The middle of the placement area on the table top, in robogym's world frame.
ORIGIN = np.array([1.4508, 0.68114, 0.48624])
GRIP = 0.03  # metres above the table: about the middle of an object, where a hand takes it
MOUNT_RGBA = "0.79216 0.81961 0.93333 1"
ROBOGYM_MOUNT = f"""
<body pos="-0.08 0.262 -0.158" euler="0 0 1.5708">
 <geom type="mesh" mesh="mount0" rgba="{MOUNT_RGBA}"/>
 <geom type="mesh" mesh="mount1" rgba="{MOUNT_RGBA}" pos="0.50993 -0.95683 0.63731"
  quat="0.707105 0.707108 0 0"/>
 <geom type="mesh" mesh="mount2" rgba="{MOUNT_RGBA}" pos="0 -1.14983 0"
  quat="0.707105 0.707108 0 0"/>
</body>"""
PLAIN_MOUNT = f"""
<body pos="0.95 0.77 0.48">
 <geom type="box" rgba="{MOUNT_RGBA}" pos="0 0 0.33" size="0.12 0.045 0.33"/>
 <geom type="box" rgba="{MOUNT_RGBA}" pos="0 0 0.75" size="0.12 0.24 0.09"/>
 <geom type="box" rgba="{MOUNT_RGBA}" pos="-0.1 0.2 0.16" size="0.025 0.22 0.03" euler="-0.6 0 0"/>
 <geom type="box" rgba="{MOUNT_RGBA}" pos="-0.1 -0.2 0.16" size="0.025 0.22 0.03" euler="0.6 0 0"/>
</body>"""
# Camera, table, lights and materials are robogym's; the extent is fixed because it sets the
# depth range, which must not depend on the meshes.
WORLD_XML = """
<mujoco>
 <compiler angle="radian"/>
 <statistic extent="5.65685460304576" center="0.4 0.5 0.5"/>
 <visual>
  <headlight diffuse="0.4 0.4 0.4" ambient="0.1 0.1 0.1"/>
  <global offwidth="{frame}" offheight="{frame}"/>
 </visual>
 <asset>
  <texture type="skybox" builtin="gradient" rgb1="0.44 0.85 0.56" rgb2="0.46 0.87 0.58"
   width="32" height="32"/>
  <material name="table" specular="0" shininess="0.5" reflectance="0" rgba="0.93 0.93 0.93 1"/>
  <material name="floor" specular="0" shininess="0.5" rgba="0.2 0.2 0.2 1"/>
  {assets}
 </asset>
 <worldbody>
  <geom type="plane" pos="0.8 0.75 0" size="0.85 0.7 1" material="floor"/>
  <geom type="box" pos="1.4508 0.773 0.453" size="0.6075 0.7655 0.03324" material="table"/>
  {mount}
  <geom type="box" pos="0.4 0.5 0.5" size="0.001 2 2" rgba="0.44 0.85 0.56 1"/>
  <light directional="true" castshadow="false" pos="0 0 4" dir="0 0 -1"
   ambient="0.2 0.2 0.2" diffuse="0.8 0.8 0.8" specular="0.1 0.1 0.1"/>
  <body pos="0.95125 0.6 1.1993" quat="0.383 0.924 0 0">
   <camera name="top" pos="0.7477575 0.4143189 -0.5325117"
    quat="0.1234811 0.03281631 0.9236646 0.3612743" fovy="36.392"/>
  </body>
  <camera name="portrait" pos="1.4508 0.98 2.05" xyaxes="-1 0 0 0 -0.982 0.189" fovy="8.4"/>
 </worldbody>
</mujoco>"""

COUNTS = (4, 5, 6, 7)  # of objects in the paper's Table 1
COSTS = {  # seconds of one core, as ``reproduction/costs.json`` explains
    "clip": 0.045,
    "training": {"fast": 0.23, "cpu": 0.16, "paper": 20.0},
    "look": {"fast": 0.065, "cpu": 0.007, "paper": 1.0},
    "episode": {
        "random": 0.019,
        "oracle": 0.1,
        "ncs": 0.18,
        "nf": 0.066,
        "mpc": 1.4,
        "bc": 0.024,
        "iql": 0.026,
        "gcivl": 0.023,
        "ncs, dSLATE": 0.1,
        "mpc, dSLATE": 5.5,
        "nf, dSLATE": 0.071,
    },
}
WORLD = World(
    name=NAME,
    make="ncs.envs.tabletop.world:RobogymRearrange",
    summary="meshes of many kinds on a table, seen from above",
    gymnasium_id="ncs/RobogymRearrange-v0",
    extra="mujoco",
    arena_low=(-float(HALF_AREA[0]), -float(HALF_AREA[1]), 0.0),
    arena_high=(float(HALF_AREA[0]), float(HALF_AREA[1]), LONGEST),
    tolerance=REACH,
    objects=(1, MAX_OBJECTS),
    suite_objects=COUNTS,
    styles={
        "seen": "without a third of the meshes and four colours",
        "unseen": "of the meshes and colours that 'seen' leaves out",
        **STYLES_HELP,
    },
    key_step=0.05,
    setup_variable=MESHES_VARIABLE,
    goal_editor="ncs.envs.tabletop.goals:EDITOR",
    model="robogym-fast-0",
    exhibit="ncs.envs.tabletop.exhibit:show_meshes",
    graph={
        "representation": "state",
        "n_nodes": 45,
        "isolate_metric": "cosine",
        "cluster_metric": "sqeuclidean",
        "bind_metric": "sqeuclidean",
    },
    most_nodes=128,
    published=(
        Published("complete", "NCS", COUNTS, (0.64, 0.47, 0.49, 0.41), (0.01, 0.01, 0.01, 0.01)),
        Published("complete", "Rand", COUNTS, (0.01, 0.01, 0.0, 0.0), (0.0, 0.0, 0.0, 0.0)),
        Published("complete", "MPC", COUNTS, (0.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 0.0)),
        Published("complete", "NF", COUNTS, (0.01, 0.01, 0.0, 0.0), (0.0, 0.0, 0.0, 0.0)),
        Published("complete", "IQL", COUNTS, (0.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 0.0)),
        Published("complete", "BC", COUNTS, (0.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 0.0)),
        Published("partial", "NCS", COUNTS, (0.47, 0.33, 0.27, 0.22), (0.01, 0.01, 0.01, 0.01)),
        Published("partial", "Rand", COUNTS, (0.005, 0.001, 0.002, 0.001), (0.001, 0.0, 0.001, 0)),
        Published("partial", "MPC", COUNTS, (0.0, 0.001, 0.0, 0.0), (0.0, 0.001, 0.0, 0.0)),
        Published("partial", "NF", COUNTS, (0.005, 0.001, 0.002, 0.001), (0.001, 0.0, 0.001, 0)),
        Published("partial", "IQL", COUNTS, (0.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 0.0)),
        Published("partial", "BC", COUNTS, (0.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 0.0)),
    ),
    costs=COSTS,
)
