# Binds folders and files in the mount namespace of this process: "namespace source target" for each, where the mount
# shows the owners that the user namespace maps, or "-" to show them as they are.
# Perl, because mount(8) can do this only since util-linux 2.39, and every Debian has perl-base.
use strict;

my ( $open_tree, $move_mount, $mount_setattr ) = ( 428, 429, 442 );
my ( $at_fdcwd, $at_empty_path, $at_recursive ) = ( -100, 0x1000, 0x8000 );
my ( $clone, $from_empty_path ) = ( 0x80001, 4 );
my ( $nosuid, $nodev, $idmap ) = ( 2, 4, 0x100000 );
my $nothing = '';

while ( my ( $namespace, $source, $target ) = splice @ARGV, 0, 3 ) {
    my $as_is = $namespace eq '-';
    if   ( -d $source ) { mkdir $target or die "$target: $!\n" }
    else                { open my $file, '>', $target or die "$target: $!\n" }
    my $tree = syscall $open_tree, $at_fdcwd, $source, $as_is ? $clone | $at_recursive : $clone;
    die "$source: $!\n" if $tree < 0;
    unless ($as_is) {
        open my $map, '<', $namespace or die "$namespace: $!\n";
        my $attributes = pack 'QQQQ', $nosuid | $nodev | $idmap, 0, 0, fileno $map;
        syscall( $mount_setattr, $tree, $nothing, $at_empty_path, $attributes, 32 ) == 0 or die "$source: $!\n";
    }
    syscall( $move_mount, $tree, $nothing, $at_fdcwd, $target, $from_empty_path ) == 0 or die "$target: $!\n";
    open my $done, '<&=', $tree;
}
