# For a teacher's server. Nothing needs the network after the build:
#
#   docker build --tag attention-course .
#   docker run --rm --network none --volume "$PWD/class:/class" attention-course \
#       class /class/submissions.zip --step s05 --out /class/grades
#
# The folder must be writable for user 1000. As Docker starts containers, bubblewrap cannot make
# namespaces. Submissions run in the tier "confined" if the host's kernel has Landlock: without
# network or files of others. On a kernel without it the tier is "process", and `class` refuses.
# `doctor` instead of `class ...` says what yours gets. For "sandboxed", add
# --security-opt seccomp=unconfined --security-opt apparmor=unconfined
# --security-opt systempaths=unconfined: then the container itself is confined less, and
# each submission more.

# MAX links a part of itself with gcc, once, when it is installed.
FROM python:3.13-slim-bookworm AS base
# hadolint ignore=DL3008 # Debian keeps only the newest version of each package
RUN apt-get update \
    && apt-get install --yes --no-install-recommends \
        bubblewrap gcc git libc6-dev procps \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --create-home --uid 1000 --shell /bin/bash learner \
    && install --directory --owner learner --group learner /home/learner/course
USER 1000

FROM base
WORKDIR /home/learner/course
COPY --chown=1000:1000 . .
RUN ./pixiw install -e classroom
ENTRYPOINT ["./pixiw", "run"]
CMD ["doctor"]
